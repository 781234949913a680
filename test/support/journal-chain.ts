import { assert } from "chai";
import type { Database } from "../../server/journal/engine/database.ts";
import { decodeEntry, encodeEntry } from "../../server/journal/entries/codec.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { readHead, rowsBetween } from "../../server/journal/entries/journal-rows.ts";
import { KEY } from "./journal-key.ts";

/**
 * Checks the rows of a journal: none is missing, each gives its digest and its code, and each line is canonical.
 * @param key `null`: the rows have to give their digests only
 * @returns the number of entries
 */
export async function assertChained(database: Database, key: JournalKey | null = KEY): Promise<number> {
  const head = await readHead(database);
  let last = 0;
  let proofs = 0;
  for await (const row of rowsBetween(database, key ?? undefined, 0, Number.MAX_SAFE_INTEGER)) {
    for (const { sequence, text } of row.lines()) {
      assert.equal(sequence, last + 1);
      last = sequence;
      const entry = decodeEntry(text);
      assert.equal(entry.sequence, sequence);
      assert.equal(encodeEntry(entry), text);
      if (entry.kind === "proof") proofs += 1;
    }
    row.digestAt();
  }
  assert.deepInclude(head, { sequence: last, proofs });
  return last;
}
