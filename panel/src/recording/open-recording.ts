import * as z from "zod";
import { MAX_DOCUMENTS } from "../../../client/proofs.ts";
import { tabsHaveLocks } from "../session/token-lock.ts";
import { storedRecordingText as stored } from "./stored.ts";

/** Bytes of the documents of a request; the server accepts 2 MiB. */
const MOST_BYTES = 1_900_000;
/** Bytes of a document beside its id: hash, metadata and punctuation. */
const MORE_BYTES = 400;

/** A document: its id and its SHA-256. */
export type PlainDocument = readonly [id: string, hash: string];

/** A recording that is not finished: what is left of it. */
const OpenRecording = z.object({
  account: z.string(),
  /** Unix milliseconds. */
  begunAt: z.number(),
  /** Number of its documents, with those that are recorded. */
  all: z.number(),
  metadata: z.object({ source: z.string(), type: z.string().optional() }),
  /** Each with its idempotency key. */
  batches: z
    .array(z.object({ key: z.string(), documents: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly() }))
    .min(1)
    .readonly(),
});

export type OpenRecording = z.output<typeof OpenRecording>;

/** The recording that is stored in this browser. */
export const storedRecording = {
  read(): OpenRecording | undefined {
    try {
      return OpenRecording.safeParse(JSON.parse(stored.read() ?? "")).data;
    } catch {
      return undefined;
    }
  },

  /** @returns Whether it is stored; browsers can be full, or forbid it */
  write(open: OpenRecording | undefined): boolean {
    if (open === undefined) {
      stored.remove();
      return true;
    }
    const text = JSON.stringify(open);
    stored.write(text);
    return stored.read() === text;
  },
};

/** The server repeats the outcome of a batch under its key for a day: after that, it would be recorded twice. */
const REPEATABLE_MILLISECONDS = 23 * 3_600_000;

export function isTooOld({ begunAt }: OpenRecording): boolean {
  return Date.now() - begunAt > REPEATABLE_MILLISECONDS;
}

/**
 * Makes this tab the only one of the browser that records, until it is closed.
 * @returns what lets others record; `undefined` while another one does
 */
export function holdRecording(): Promise<(() => void) | undefined> {
  // Without locks, tabs share nothing.
  if (!tabsHaveLocks) return Promise.resolve(() => undefined);
  return new Promise((resolve) => {
    void navigator.locks.request("sealbook.recording", { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve(undefined);
      return new Promise<void>((release) => resolve(() => release()));
    });
  });
}

/** Divides documents into batches that the server accepts. */
export function batchesOf(documents: readonly PlainDocument[]): PlainDocument[][] {
  const batches: PlainDocument[][] = [];
  let bytes = Infinity;
  for (const document of documents) {
    const more = new TextEncoder().encode(JSON.stringify(document[0])).length + MORE_BYTES;
    if (bytes + more > MOST_BYTES || batches.at(-1)?.length === MAX_DOCUMENTS) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(document);
    bytes += more;
  }
  return batches;
}
