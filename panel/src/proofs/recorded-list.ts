import { batch, signal } from "@preact/signals";
import type { InventorySearch, RecordedDocument } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";

/** Rows that a step of the list adds, unless there are no more. */
const STEP_ROWS = 50;
const HASH = /^(0x)?[0-9a-f]{64}$/i;

/** The list of recorded documents: what is searched for, and what is found so far. */
class RecordedList {
  /** Text in the id, or a SHA-256. */
  readonly text = signal("");
  /** ISO dates; empty for none. */
  readonly from = signal("");
  readonly to = signal("");
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
  #run = new AbortController();

  /** Whether the reader has entered and selected nothing that a new list would take away. */
  get isUntouched(): boolean {
    const inputs = [this.text, this.from, this.to];
    return inputs.every((input) => input.peek() === "") && this.selected.peek().size === 0;
  }

  /** Begins with what is entered. */
  async search(): Promise<void> {
    const text = this.text.value.trim();
    const isHash = HASH.test(text);
    this.clear();
    this.#search = {
      limit: STEP_ROWS,
      ...(text === "" ? {} : isHash ? { hash: text } : { q: text }),
      ...(this.from.value === "" ? {} : { from: this.from.value }),
      ...(this.to.value === "" ? {} : { to: this.to.value }),
    };
    const { signal: aborted } = this.#run;
    await this.more();
    if (!isHash || this.documents.value.length > 0 || this.failure.value !== undefined || aborted.aborted) return;
    const id = text.replace(/^0x/i, "").toLowerCase();
    const found = await proofClient()
      .find(id)
      .catch(() => undefined);
    if (!aborted.aborted && found !== undefined) this.proofId.value = id;
  }

  /** Adds the next rows; a page of a search can have none. */
  async more(): Promise<void> {
    if (this.isLoading.value || this.isAtEnd.value) return;
    batch(() => {
      this.isLoading.value = true;
      this.failure.value = undefined;
    });
    const { signal: aborted } = this.#run;
    const wanted = this.documents.value.length + STEP_ROWS;
    try {
      while (this.documents.value.length < wanted && !this.isAtEnd.value) {
        const page = await proofClient().inventoryPage(this.#search, this.#cursor, { signal: aborted });
        batch(() => {
          this.documents.value = [...this.documents.value, ...page.documents];
          this.#cursor = page.next;
          this.isAtEnd.value = page.next === undefined;
        });
      }
    } catch (error) {
      if (aborted.aborted) return;
      noteUnauthorized(error);
      this.failure.value = error;
    }
    this.isLoading.value = false;
  }

  /** Ends a search; what is found stays. */
  stop(): void {
    this.#run.abort();
    this.#run = new AbortController();
    this.isLoading.value = false;
  }

  toggle(id: string): void {
    const selected = new Set(this.selected.value);
    if (!selected.delete(id)) selected.add(id);
    this.selected.value = selected;
  }

  clear(): void {
    this.stop();
    this.#cursor = undefined;
    batch(() => {
      this.documents.value = [];
      this.selected.value = new Set();
      this.proofId.value = undefined;
      this.isAtEnd.value = false;
      this.failure.value = undefined;
    });
  }
}

/** The list of this page. */
export const list = new RecordedList();
onForget(() => {
  list.clear();
  for (const input of [list.text, list.from, list.to]) input.value = "";
});
