import { equalBytes } from "../../kit/bytes.ts";
import type { Database } from "../engine/database.ts";
import type { JournalHead } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { isSame, refusal } from "../integrity/memory.ts";
import { rowsBetween } from "./journal-rows.ts";

/** Returns whether the journal, as a transaction or a snapshot sees it, has an entry with its digest at a row's end. */
export async function hasRowTo(database: Database, { sequence, digest }: JournalHead): Promise<boolean> {
  if (sequence === 0) return true;
  const row = await database
    .selectFrom("entries")
    .select(["last_sequence", "digest"])
    .where("first_sequence", "<=", sequence)
    .orderBy("first_sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.last_sequence === sequence && equalBytes(row.digest, digest);
}

/**
 * Checks that the journal continues the newest entry that this process has seen, before it appends to it. What a commit
 * without a response has left is followed.
 * @param head The newest entry that the write transaction sees
 * @throws SealbookError `journal_damaged` when it does not
 */
export async function assertContinues(transaction: Database, key: JournalKey, head: JournalHead): Promise<void> {
  const { memory } = key;
  if (memory === undefined || isSame(head, memory.written ?? memory.newest)) return;
  if (await follows(transaction, key, memory.newest, head)) return memory.saw(head);
  // An operator may have accepted this journal meanwhile.
  if ((await memory.readFile()) && (await follows(transaction, key, memory.newest, head))) return memory.saw(head);
  // It is known after a restart as well, and an operator can accept the journal.
  await memory.store().catch(() => undefined);
  throw refusal(memory.newest);
}

async function follows(transaction: Database, key: JournalKey, seen: JournalHead, head: JournalHead): Promise<boolean> {
  if (head.sequence < seen.sequence || !(await hasRowTo(transaction, seen))) return false;
  let at = seen;
  try {
    for await (const row of rowsBetween(transaction, key, seen.sequence, head.sequence)) {
      if (!equalBytes(row.previous.digest, at.digest)) return false;
      row.digestAt();
      at = { sequence: row.sequence, digest: row.digest };
    }
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  return isSame(at, head);
}
