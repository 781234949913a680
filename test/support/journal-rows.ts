import type { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { decodeEntry, encodeEntry, type JournalEntry } from "../../server/journal/entries/codec.ts";
import { packTexts, unpackTexts } from "../../server/journal/entries/row-body.ts";
import { recordHashOf } from "../../server/journal/integrity/record-hash.ts";

/** Selects the rows of a journal, without the server. */
export const ROWS = "select body from entries order by first_sequence";
/** Selects the anchors over its proofs. */
export const ANCHORS = `select anchors.id, transactions.state
  from anchors left join transactions on transactions.id = transaction_id where checkpoint is null`;

/** One engine returns large integers as text. */
const whole = z.coerce.number();
const Row = z.object({ body: z.instanceof(Uint8Array) });
const Anchor = z.object({
  id: whole,
  state: z.string().nullable(),
});

/** A stored proof under its anchor, with the recorded hash computed from it. */
export interface ProofOnDisk {
  readonly sequence: number;
  readonly document_id: string;
  readonly timestamp: number;
  readonly hash: Uint8Array;
  readonly recordHash: Uint8Array;
  readonly anchor: number;
  readonly place: number;
  readonly state: string | null;
}

type Raw = readonly Record<string, unknown>[];

/** Parses the results of {@link ROWS} and {@link ANCHORS}. */
export function proofsIn(rows: Raw, anchors: Raw): ProofOnDisk[] {
  const over = anchors.map((raw) => Anchor.parse(raw));
  return rows
    .flatMap((raw) => unpackTexts(Row.parse(raw).body))
    .map(decodeEntry)
    .filter((entry) => entry.kind === "proof")
    .flatMap((entry) =>
      over
        .filter(({ id }) => id === entry.anchor)
        .map(({ id: anchor, state }) => ({
          sequence: entry.sequence,
          document_id: entry.document_id,
          timestamp: entry.timestamp,
          hash: entry.hash,
          recordHash: recordHashOf(entry),
          anchor,
          place: entry.leaf,
          state,
        })),
    );
}

export function proofsOnDisk(database: DatabaseSync): ProofOnDisk[] {
  return proofsIn(database.prepare(ROWS).all(), database.prepare(ANCHORS).all());
}

/** Changes entries, or returns them as they are. */
export type EntryChange = (entry: JournalEntry) => JournalEntry;

/** Changes the body of a row, as somebody without the journal's key; `undefined` when no entry of it is changed. */
export function changedBody(body: Uint8Array, change: EntryChange): Uint8Array | undefined {
  const texts = unpackTexts(body);
  const changed = texts.map((text) => encodeEntry(change(decodeEntry(text))));
  return changed.join() === texts.join() ? undefined : packTexts(changed);
}

/** Changes entries in a file, as somebody without the journal's key. */
export function changeEntries(database: DatabaseSync, change: EntryChange): void {
  const update = database.prepare("update entries set body = ? where body = ?");
  for (const raw of database.prepare(ROWS).all()) {
    const { body } = Row.parse(raw);
    const changed = changedBody(body, change);
    if (changed !== undefined) update.run(changed, body);
  }
}
