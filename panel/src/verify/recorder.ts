import { batch, signal } from "@preact/signals";
import { ClientError } from "../../../client/errors.ts";
import { newIdempotencyKey } from "../../../client/idempotency-key.ts";
import type { ProofRequest } from "../../../client/index.ts";
import { MAX_DOCUMENTS } from "../../../client/proofs.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";

type NamedHash = Pick<ProofRequest, "document_id" | "hash">;

/**
 * Records documents, as many in one transaction as a batch can have. It outlives the view: what was accepted is not
 * sent again, and a batch whose outcome is not known is repeated as it was and under its key.
 */
export class Recorder {
  /** Progress of the run; `undefined` without one. */
  readonly progress = signal<{ readonly done: number; readonly all: number } | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  /** The accepted documents, by name and hash. */
  readonly #accepted = new Set<string>();
  #isStopped = false;
  /** Changes when the reader starts again: what ends later is of no interest. */
  #generation = 0;
  /** A batch whose outcome is not known. */
  #unfinished: { readonly documents: readonly ProofRequest[]; readonly key: string } | undefined;

  /** Whether a document is accepted, confirmed or not. */
  hasAccepted(document: NamedHash): boolean {
    return this.#accepted.has(nameOf(document));
  }

  /** Ends the recording before the next batch. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Ends the recording, and forgets a batch whose outcome is not known: the reader has withdrawn its files. */
  forget(): void {
    this.stop();
    this.#generation += 1;
    this.#unfinished = undefined;
    this.failure.value = undefined;
  }

  async record(documents: readonly ProofRequest[]): Promise<void> {
    if (this.progress.value !== undefined) return;
    batch(() => {
      this.progress.value = { done: 0, all: documents.length };
      this.failure.value = undefined;
    });
    this.#isStopped = false;
    const generation = this.#generation;
    addEventListener("beforeunload", keepPage);
    try {
      while (!this.#isStopped) {
        const open = documents.filter((each) => !this.hasAccepted(each));
        this.progress.value = { done: documents.length - open.length, all: documents.length };
        if (open.length === 0) return;
        // Only when all of it is still to be recorded: what was renamed or taken away meanwhile is not sent.
        const wanted = new Set(open.map(nameOf));
        if (this.#unfinished?.documents.every((each) => wanted.has(nameOf(each))) !== true)
          this.#unfinished = { documents: open.slice(0, MAX_DOCUMENTS), key: newIdempotencyKey() };
        const { documents: some, key } = this.#unfinished;
        await proofClient().submitTogether(some, { key });
        for (const each of some) this.#accepted.add(nameOf(each));
        this.#unfinished = undefined;
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      noteUnauthorized(error);
      this.failure.value = error;
      if (isRefused(error)) this.#unfinished = undefined;
    } finally {
      removeEventListener("beforeunload", keepPage);
      this.progress.value = undefined;
    }
  }
}

/** What makes two documents the same one. */
function nameOf({ document_id, hash }: NamedHash): string {
  return `${hash} ${document_id}`;
}

/** Whether a batch cannot be accepted as it is: it can be sent in another form. */
function isRefused(error: unknown): boolean {
  return error instanceof ClientError && ["malformed", "too_large", "key_reused"].includes(error.code);
}

/** Makes the browser ask before it leaves the page. */
function keepPage(event: Event): void {
  event.preventDefault();
}
