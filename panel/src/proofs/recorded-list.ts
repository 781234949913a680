import { batch, signal } from "@preact/signals";
import * as z from "zod";
import type { InventorySearch, RecordedDocument } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { isHash, proofOf } from "../access/proof-of.ts";
import { kept, onForget } from "../session/kept.ts";

/** Rows that a step of the list adds, unless there are no more. */
const STEP_ROWS = 50;

/** The list of recorded documents: what is searched for, and what is found so far. */
class RecordedList {
  /** Text in the id, or a SHA-256. */
  readonly text = kept("proofs.text", z.string(), "");
  /** ISO dates; empty for none. */
  readonly from = kept("proofs.from", z.string(), "");
  readonly to = kept("proofs.to", z.string(), "");
  readonly documents = signal<readonly RecordedDocument[]>([]);
  /** The id of the proof that was searched for by it; it can be an older one of its document. */
  readonly proofId = signal<string | undefined>(undefined);
  readonly isLoading = signal(false);
  readonly isAtEnd = signal(false);
  readonly failure = signal<unknown>(undefined);
  /** Ids of the selected documents. */
  readonly selected = signal<ReadonlySet<string>>(new Set());
  #search: InventorySearch = {};
  #cursor: string | undefined;
  /** Whether nothing is found yet. */
  #isNew = true;
  #run = new AbortController();

  /** Whether there was no search since the page was loaded. */
  isUnused = true;

  /** Whether the reader has entered or selected nothing, and seen no more than the newest, which a new list has. */
  get isUntouched(): boolean {
    const inputs = [this.text, this.from, this.to];
    const isFirst = this.documents.peek().length <= STEP_ROWS;
    return inputs.every((input) => input.peek() === "") && this.selected.peek().size === 0 && isFirst;
  }

  /** Begins with what is entered. */
  async search(): Promise<void> {
    this.isUnused = false;
    const text = this.text.value.trim();
    const isOfHash = isHash(text);
    const times = {
      limit: STEP_ROWS,
      ...(this.from.value === "" ? {} : { from: this.from.value }),
      ...(this.to.value === "" ? {} : { to: this.to.value }),
    };
    this.#begin({ ...times, ...(text === "" ? {} : isOfHash ? { hash: text } : { q: text }) });
    const { signal: aborted } = this.#run;
    await this.more();
    const isFound = () => this.documents.value.length > 0 || this.failure.value !== undefined || aborted.aborted;
    if (!isOfHash || isFound()) return;
    const id = await proofOf(text);
    if (aborted.aborted) return;
    this.proofId.value = id;
    if (id !== undefined) return;
    // A name can look like a hash.
    this.#begin({ ...times, q: text });
    await this.more();
  }

  /** Adds the next rows; a page of a search can have none. */
  async more(): Promise<void> {
    if (this.isLoading.value || this.isAtEnd.value) return;
    batch(() => {
      this.isLoading.value = true;
      this.failure.value = undefined;
    });
    const { signal: aborted } = this.#run;
    let documents = this.#isNew ? [] : this.documents.value;
    const wanted = documents.length + STEP_ROWS;
    try {
      while (documents.length < wanted && !this.isAtEnd.value) {
        const page = await proofClient().inventoryPage(this.#search, this.#cursor, { signal: aborted });
        documents = [...documents, ...page.documents];
        this.#isNew = false;
        batch(() => {
          this.documents.value = documents;
          this.#cursor = page.next;
          this.isAtEnd.value = page.next === undefined;
        });
      }
    } catch (error) {
      if (aborted.aborted) return;
      noteUnauthorized(error);
      this.failure.value = error;
      if (this.#isNew) this.documents.value = [];
    }
    this.isLoading.value = false;
  }

  /** Ends a search; what is found stays. */
  stop(): void {
    this.#run.abort();
    this.#run = new AbortController();
    this.isLoading.value = false;
    // What is shown is of an earlier search.
    if (this.#isNew) this.documents.value = [];
  }

  toggle(id: string): void {
    const selected = new Set(this.selected.value);
    if (!selected.delete(id)) selected.add(id);
    this.selected.value = selected;
  }

  clear(): void {
    this.#begin({});
    this.documents.value = [];
    this.isUnused = true;
  }

  /** The rows of the last search stay until there are others. */
  #begin(search: InventorySearch): void {
    this.stop();
    this.#search = search;
    this.#cursor = undefined;
    this.#isNew = true;
    batch(() => {
      this.selected.value = new Set();
      this.proofId.value = undefined;
      this.isAtEnd.value = false;
      this.failure.value = undefined;
    });
  }
}

/** The list of this page. */
export const list = new RecordedList();
onForget(() => list.clear());
