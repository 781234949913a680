import { batch, computed, signal } from "@preact/signals";
import { ClientError, isTransient } from "../../../client/errors.ts";
import { newIdempotencyKey } from "../../../client/idempotency-key.ts";
import type { ProofRequest } from "../../../client/index.ts";
import { noteUnauthorized, proofClient } from "../access/proof-access.ts";
import { onForget } from "../session/kept.ts";
import { session } from "../session/session.ts";
import { texts } from "../texts/texts.ts";
import {
  batchesOf,
  holdRecording,
  isTooOld,
  type OpenRecording,
  type PlainDocument,
  storedRecording,
} from "./open-recording.ts";

/** Short disturbances do not end a recording. */
const RETRY_FOR_MILLISECONDS = 60_000;
/** After a longer one it goes on by itself. */
const AGAIN_MILLISECONDS = 5_000;
/** Statuses of a batch that is not accepted as it is. One without the right can be sent again with another key. */
const REFUSED = [400, 413, 415, 422];

/**
 * Records documents, as many in one transaction as a batch can have. It outlives its view and the page: what is left is
 * stored until it is accepted, and a batch whose outcome is not known is repeated as it was and under its key.
 */
class Recorder {
  /** What is left of the recording; `undefined` without one. */
  readonly open = signal<OpenRecording | undefined>(undefined);
  readonly isRunning = signal(false);
  /** Whether it ends with the batch that is sent. */
  readonly isCancelled = signal(false);
  readonly failure = signal<unknown>(undefined);
  /** Number of the documents that this page has recorded. */
  readonly acceptedCount = signal(0);
  readonly done = computed(() => {
    const open = this.open.value;
    return open === undefined ? 0 : open.all - countOf(open);
  });
  /** `undefined` until it can be estimated. */
  readonly secondsLeft = signal<number | undefined>(undefined);
  /** The accepted documents, by name and hash. */
  readonly #accepted = new Set<string>();
  /** Changes when everything is forgotten: what ends later is of no interest. */
  #generation = 0;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Lets other tabs record. */
  #release = (): void => undefined;

  /** Whether a document is accepted, confirmed or not. */
  hasAccepted({ document_id, hash }: Pick<ProofRequest, "document_id" | "hash">): boolean {
    return this.#accepted.has(nameOf([document_id, hash]));
  }

  /** @param type Type of all documents; empty for none */
  async record(documents: readonly PlainDocument[], type: string): Promise<void> {
    const release = await holdRecording();
    if (release === undefined) {
      this.failure.value = new Error(texts.value.recording.otherTab);
      return;
    }
    if (this.open.value !== undefined || documents.length === 0) return release();
    this.#release = release;
    this.failure.value = undefined;
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
    const release = await holdRecording();
    // Another tab runs it.
    if (release === undefined) return;
    const stored = storedRecording.read();
    // The reader may have logged out, or begun another one meanwhile.
    const isWanted = session.current.peek()?.account === account && this.open.peek() === undefined;
    if (isWanted && stored !== undefined && stored.account !== account) storedRecording.write(undefined);
    if (!isWanted || stored?.account !== account) return release();
    this.#release = release;
    this.failure.value = undefined;
    this.#set(stored);
    await this.run();
  }

  /** Sends what is left. */
  async run(): Promise<void> {
    if (this.isRunning.value) return;
    clearTimeout(this.#again);
    batch(() => {
      this.isRunning.value = true;
      this.secondsLeft.value = undefined;
    });
    const generation = this.#generation;
    const [start, doneBefore] = [performance.now(), this.done.value];
    try {
      for (let open = this.open.value; open !== undefined; open = this.open.value) {
        if (isTooOld(open)) throw new Error(texts.value.recording.tooOld);
        const [first, ...batches] = open.batches;
        if (first === undefined) return;
        const { metadata } = open;
        const documents = first.documents.map(([document_id, hash]) => ({ document_id, hash, metadata }));
        // What is accepted is safe: the next batch does not wait for the chain.
        await proofClient(RETRY_FOR_MILLISECONDS).submitTogether(documents, {
          key: first.key,
          confirmWithinMilliseconds: 0,
        });
        if (generation !== this.#generation) return;
        for (const each of first.documents) this.#accepted.add(nameOf(each));
        batch(() => {
          this.failure.value = undefined;
          this.acceptedCount.value += documents.length;
          this.#set(batches.length === 0 || this.isCancelled.value ? undefined : { ...open, batches });
          const seconds = (performance.now() - start) / 1000;
          const left = open.all - this.done.value;
          this.secondsLeft.value = Math.ceil((seconds / Math.max(1, this.done.value - doneBefore)) * left);
        });
      }
    } catch (error) {
      if (generation !== this.#generation) return;
      noteUnauthorized(error);
      batch(() => {
        this.#set(this.#leftAfter(error));
        this.failure.value = error;
      });
      if (goesOnAfter(error) && this.open.value !== undefined) {
        const wait = Math.max(AGAIN_MILLISECONDS, 1_000 * (error.retryAfterSeconds ?? 0));
        this.#again = setTimeout(() => void this.run(), wait);
      }
    } finally {
      if (generation === this.#generation) this.isRunning.value = false;
    }
  }

  /** Ends the recording: no other batch is sent. */
  cancel(): void {
    // The outcome of the batch that is sent is waited for: its documents would be recorded twice otherwise.
    if (this.isRunning.value) this.isCancelled.value = true;
    else this.forget();
  }

  /** Ends the recording at once. */
  forget(): void {
    this.#generation += 1;
    clearTimeout(this.#again);
    batch(() => {
      this.#set(undefined);
      this.isRunning.value = false;
      this.failure.value = undefined;
    });
  }

  #leftAfter(error: unknown): OpenRecording | undefined {
    const open = this.open.value;
    if (open === undefined || this.isCancelled.value || isTooOld(open)) return undefined;
    if (!isRefused(error)) return open;
    const batches = open.batches.slice(1);
    return batches.length === 0 ? undefined : { ...open, batches };
  }

  #set(open: OpenRecording | undefined): void {
    const before = this.open.value;
    this.open.value = open;
    if (open === undefined) {
      this.isCancelled.value = false;
      removeEventListener("beforeunload", keepPage);
      if (before === undefined) return;
      if (before.account !== "") storedRecording.write(undefined);
      this.#release();
      this.#release = () => undefined;
      return;
    }
    // Without a storage the rest would be lost with the page.
    if (open.account === "" || !storedRecording.write(open)) addEventListener("beforeunload", keepPage);
  }
}

/** The recorder of this page. */
export const recorder = new Recorder();
onForget(() => recorder.forget());

function countOf({ batches }: OpenRecording): number {
  return batches.reduce((sum, { documents }) => sum + documents.length, 0);
}

/** What makes two documents the same one. */
function nameOf([id, hash]: PlainDocument): string {
  return `${hash} ${id}`;
}

/** Whether a batch is not accepted as it is: it can be sent in another form. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  return error.code === "key_reused" || REFUSED.includes(error.status ?? 0);
}

/** Whether a recording goes on by itself after an error. */
export function goesOnAfter(error: unknown): error is ClientError {
  return error instanceof ClientError && isTransient(error);
}

/** Makes the browser ask before it leaves the page. */
function keepPage(event: Event): void {
  event.preventDefault();
}
