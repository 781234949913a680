import { signal } from "@preact/signals";
import { newIdempotencyKey } from "../../../client/idempotency-key.ts";
import { MAX_DOCUMENTS } from "../../../client/proofs.ts";
import type { ProofRequest } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";

/**
 * Records documents, as many in one transaction as a batch can have. A repetition after a failure continues with the
 * batch that failed, under the key that it had.
 */
export class Recording {
  readonly done = signal(0);
  /** Whether some are accepted and wait for the chain. */
  readonly isPending = signal(false);
  readonly isRunning = signal(false);
  readonly failure = signal<unknown>(undefined);
  readonly documents: readonly ProofRequest[];
  readonly #keys = new Map<number, string>();

  constructor(documents: readonly ProofRequest[]) {
    this.documents = documents;
  }

  /** @returns Whether all are accepted */
  async run(): Promise<boolean> {
    this.isRunning.value = true;
    this.failure.value = undefined;
    try {
      while (this.done.value < this.documents.length) {
        const start = this.done.value;
        const key = this.#keys.get(start) ?? newIdempotencyKey();
        this.#keys.set(start, key);
        const some = this.documents.slice(start, start + MAX_DOCUMENTS);
        const { status } = await proofClient().submitTogether(some, { key });
        if (status === "pending") this.isPending.value = true;
        this.done.value = start + some.length;
      }
      return true;
    } catch (error) {
      noteUnauthorized(error);
      this.failure.value = error;
      return false;
    } finally {
      this.isRunning.value = false;
    }
  }
}
