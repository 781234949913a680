import { batch, computed, signal } from "@preact/signals";
import { ClientError } from "../../../client/errors.ts";
import { newIdempotencyKey } from "../../../client/idempotency-key.ts";
import type { ProofRequest } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import { type OpenRecording, type PlainDocument, batchesOf, storedRecording } from "./open-recording.ts";

/** Short disturbances do not end a recording. */
const RETRY_FOR_MILLISECONDS = 60_000;
/** The server repeats the outcome of a batch under its key for a day. */
const REPEATABLE_MILLISECONDS = 23 * 3_600_000;

/**
 * Records documents, as many in one transaction as a batch can have. It outlives its view and the page: what is left is
 * stored until it is accepted, and a batch whose outcome is not known is repeated as it was and under its key.
 */
class Recorder {
  /** What is left of the recording; `undefined` without one. */
  readonly open = signal<OpenRecording | undefined>(undefined);
  readonly isRunning = signal(false);
  readonly failure = signal<unknown>(undefined);
  /** Documents that this page has recorded, accepted by the server. */
  readonly acceptedCount = signal(0);
  readonly done = computed(() => {
    const open = this.open.value;
    return open === undefined ? 0 : open.all - countOf(open);
  });
  /** `undefined` until it can be estimated. */
  readonly secondsLeft = signal<number | undefined>(undefined);
  /** The accepted documents, by name and hash. */
  readonly #accepted = new Set<string>();
  /** Changes when the reader ends the recording: what ends later is of no interest. */
  #generation = 0;

  /** Whether a document is accepted, confirmed or not. */
  hasAccepted({ document_id, hash }: Pick<ProofRequest, "document_id" | "hash">): boolean {
    return this.#accepted.has(nameOf([document_id, hash]));
  }

  /** @param type Type of all documents; empty for none */
  async record(documents: readonly PlainDocument[], type: string): Promise<void> {
    if (this.open.value !== undefined || documents.length === 0) return;
    this.#set({
      account: session.current.value?.account ?? "",
      begunAt: Date.now(),
      all: documents.length,
      metadata: { source: "panel", ...(type === "" ? {} : { type }) },
      batches: batchesOf(documents).map((some) => ({ key: newIdempotencyKey(), documents: some })),
    });
    await this.run();
  }

  /** Continues the stored recording of an account. One of another account, or of an earlier day, is forgotten. */
  async resume(account: string): Promise<void> {
    if (this.open.value !== undefined) return;
    const stored = storedRecording.read();
    if (stored?.account !== account) return void storedRecording.write(undefined);
    if (Date.now() - stored.begunAt > REPEATABLE_MILLISECONDS) {
      storedRecording.write(undefined);
      this.failure.value = new Error(texts.value.recording.tooOld);
      return;
    }
    this.#set(stored);
    await this.run();
  }

  /** Sends what is left. */
  async run(): Promise<void> {
    if (this.isRunning.value) return;
    batch(() => {
      this.isRunning.value = true;
      this.failure.value = undefined;
      this.secondsLeft.value = undefined;
    });
    const generation = this.#generation;
    const [start, doneBefore] = [performance.now(), this.done.value];
    try {
      for (let open = this.open.value; open !== undefined; open = this.open.value) {
        const [first, ...batches] = open.batches;
        if (first === undefined) return;
        const { metadata } = open;
        const documents = first.documents.map(([document_id, hash]) => ({ document_id, hash, metadata }));
        // What is accepted is safe: the next batch does not wait for the chain.
        await proofClient(RETRY_FOR_MILLISECONDS).submitTogether(documents, {
          key: first.key,
          confirmWithinMilliseconds: 0,
        });
        for (const each of first.documents) this.#accepted.add(nameOf(each));
        if (generation !== this.#generation) return;
        batch(() => {
          this.acceptedCount.value += documents.length;
          this.#set(batches.length === 0 ? undefined : { ...open, batches });
          const seconds = (performance.now() - start) / 1000;
          const left = open.all - this.done.value;
          this.secondsLeft.value = Math.ceil((seconds / Math.max(1, this.done.value - doneBefore)) * left);
        });
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      noteUnauthorized(error);
      batch(() => {
        if (isRefused(error)) this.#set(undefined);
        this.failure.value = error;
      });
    } finally {
      if (generation === this.#generation) this.isRunning.value = false;
    }
  }

  /** Ends the recording: no other batch is sent. */
  cancel(): void {
    this.#generation += 1;
    batch(() => {
      this.#set(undefined);
      this.isRunning.value = false;
      this.failure.value = undefined;
    });
  }

  #set(open: OpenRecording | undefined): void {
    this.open.value = open;
    const isStored = storedRecording.write(open);
    // Without a storage the rest would be lost with the page.
    if (isStored) removeEventListener("beforeunload", keepPage);
    else addEventListener("beforeunload", keepPage);
  }
}

/** The recorder of this page. */
export const recorder = new Recorder();
onForget(() => recorder.cancel());
// Another tab has finished or ended it.
storedRecording.onRemoved(() => recorder.open.value !== undefined && recorder.cancel());

function countOf({ batches }: OpenRecording): number {
  return batches.reduce((sum, { documents }) => sum + documents.length, 0);
}

/** What makes two documents the same one. */
function nameOf([id, hash]: PlainDocument): string {
  return `${hash} ${id}`;
}

/** Whether nothing of a batch is accepted, now or later: it can be sent in another form. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  return error.code === "key_reused" || [400, 403, 404, 413, 415, 422].includes(error.status ?? 0);
}

/** Makes the browser ask before it leaves the page. */
function keepPage(event: Event): void {
  event.preventDefault();
}
