import { batch, signal } from "@preact/signals";
import type { ComparedDocument, RecordedDocument, RecoveryVerification } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";

/** The result of a comparison. */
export interface Compared {
  readonly totals: RecoveryVerification["totals"];
  /** Unix seconds. */
  readonly finishedAt: number;
  /** Its rows; `undefined` for an earlier one, of which the server keeps totals and missing documents. */
  readonly rows: readonly ComparedDocument[] | undefined;
  /** `null` when the server does not keep it: what is missing in it is not known. */
  readonly id: string | null;
}

/** Files, compared with the records of their names; else the newest comparison of this caller. */
class Comparison {
  readonly result = signal<Compared | undefined>(undefined);
  readonly missing = signal<readonly RecordedDocument[]>([]);
  readonly hasMoreMissing = signal(false);
  /** Number of the rows so far, while it runs. */
  readonly progress = signal<number | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  #cursor: string | undefined;
  #generation = 0;
  #run = new AbortController();

  /** @param files Names that are ids of documents, and hashes */
  async compare(files: readonly { readonly name: string; readonly hash: string }[]): Promise<void> {
    await this.#during(async (isCurrent) => {
      const documents = files.map(({ name, hash }) => ({ document_id: name, hash }));
      const compared = proofClient().verifyRestored(documents, { signal: this.#run.signal });
      const rows: ComparedDocument[] = [];
      let next = await compared.next();
      for (; next.done !== true; next = await compared.next()) {
        rows.push(next.value.row);
        if (rows.length % 100 === 0 && isCurrent()) this.progress.value = rows.length;
      }
      if (!isCurrent()) return;
      const { verification_id: id, totals, finished_at: finishedAt } = next.value;
      this.#show({ id, totals, finishedAt, rows });
      if (id !== null) await this.#addMissing(id, isCurrent);
    });
  }

  /** Shows the newest comparison of this caller. */
  async showNewest(): Promise<void> {
    await this.#during(async (isCurrent) => {
      const page = await proofClient().gapPage();
      if (!isCurrent()) return;
      const { verification_id: id, totals, finished_at: finishedAt, documents, next } = page;
      this.#show({ id, totals, finishedAt, rows: undefined });
      this.#add(documents, next);
      if (documents.length === 0 && next !== undefined) await this.#addMissing(id, isCurrent);
    });
  }

  /** Adds more missing documents. */
  async moreMissing(): Promise<void> {
    const id = this.result.value?.id;
    if (id != null) await this.#during((isCurrent) => this.#addMissing(id, isCurrent));
  }

  /** Ends what runs; the result that is shown stays. */
  stop(): void {
    this.#generation += 1;
    this.#run.abort();
    this.#run = new AbortController();
    this.progress.value = undefined;
  }

  clear(): void {
    this.stop();
    batch(() => {
      this.result.value = undefined;
      this.missing.value = [];
      this.hasMoreMissing.value = false;
      this.failure.value = undefined;
    });
  }

  async #during(work: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    if (this.progress.value !== undefined) return;
    const generation = this.#generation;
    const isCurrent = () => generation === this.#generation;
    this.progress.value = 0;
    this.failure.value = undefined;
    try {
      await work(isCurrent);
    } catch (error) {
      if (!isCurrent()) return;
      noteUnauthorized(error);
      this.failure.value = error;
    }
    if (isCurrent()) this.progress.value = undefined;
  }

  /** Fetches pages until one has documents: most can be of documents that are there. */
  async #addMissing(id: string, isCurrent: () => boolean): Promise<void> {
    const before = this.missing.value.length;
    do {
      const { documents, next } = await proofClient().gapPage(id, this.#cursor);
      if (!isCurrent()) return;
      this.#add(documents, next);
    } while (this.hasMoreMissing.value && this.missing.value.length === before);
  }

  #show(result: Compared): void {
    this.#cursor = undefined;
    batch(() => {
      this.result.value = result;
      this.missing.value = [];
      this.hasMoreMissing.value = result.id !== null;
    });
  }

  #add(documents: readonly RecordedDocument[], next: string | undefined): void {
    this.#cursor = next;
    batch(() => {
      this.missing.value = [...this.missing.value, ...documents];
      this.hasMoreMissing.value = next !== undefined;
    });
  }
}

/** The comparison of this page. */
export const comparison = new Comparison();
onForget(() => comparison.clear());
