import { assert } from "chai";
import { GENESIS_DIGEST, nextDigest } from "../../server/journal/integrity/entry-chain.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { readEntries } from "../../server/journal/entries/entry-rows.ts";
import { encodeEntry, decodeEntry } from "../../server/journal/entries/codec.ts";

/**
 * Checks the chain of a journal's entries: none is missing, each one links to the previous one, and each line is
 * unique.
 * @returns the number of entries
 */
export async function assertChained(database: Database): Promise<number> {
  let digest = GENESIS_DIGEST;
  let last = 0;
  for (;;) {
    const entries = await readEntries(database, last, 1000);
    if (entries.length === 0) break;
    for (const { entry, link } of entries) {
      assert.equal(entry.sequence, last + 1);
      last = entry.sequence;
      const line = encodeEntry(entry);
      assert.equal(encodeEntry(decodeEntry(line)), line);
      digest = nextDigest(digest, line);
      assert.deepEqual(Buffer.from(link), Buffer.from(digest).subarray(0, link.length), `entry ${last}`);
    }
  }
  const head = await database.selectFrom("journal_head").selectAll().executeTakeFirstOrThrow();
  assert.equal(head.sequence, last);
  assert.deepEqual(Buffer.from(head.digest), Buffer.from(digest));
  return last;
}
