import { existsSync } from "node:fs";
import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { journalKeyFile, writeJournalKey } from "../../server/composition/journal-database.ts";
import type { Config } from "../../server/config/config.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { appendResolution } from "../../server/journal/entries/entry-log.ts";
import { entryOf, journalSource } from "../../server/journal/entries/entry-source.ts";
import { rowsBetween, storedRows } from "../../server/journal/entries/journal-rows.ts";
import { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import { CommandFailure } from "../commands/run-command.ts";

/** How far the chain proves the rows of a journal. */
export interface ProvedExtent {
  /** The entry of the newest checkpoint on chain; 0 without one. */
  readonly checkpoint: number;
  readonly newest: number;
}

/** @throws CommandFailure when there is a key, which may be that of another journal, and would be lost */
export function assertNoKey(config: Config): void {
  const file = journalKeyFile(config);
  if (existsSync(file)) throw new CommandFailure(`there is a key in ${file}: move it away if it is not the journal's`);
}

/**
 * Reads all rows without their key, and returns how many entries are under a checkpoint on chain.
 * @throws RangeError when a row is missing, or the entries do not give its digest
 */
export async function provedExtent(
  database: Database,
  chain: Pick<ProofAnchorClient, "anchorOf">,
  onEntries: (done: number) => void,
): Promise<ProvedExtent> {
  const checkpoints: { readonly sequence: number; readonly hash: Uint8Array }[] = [];
  let newest = 0;
  for await (const row of rowsBetween(database, undefined, 0, Number.MAX_SAFE_INTEGER)) {
    row.digestAt();
    for (const { sequence, text } of row.lines()) {
      const entry = entryOf(sequence, text);
      if (entry.kind === "confirmation" && entry.checkpoint !== null)
        checkpoints.push({ sequence: entry.checkpoint, hash: entry.hash });
    }
    newest = row.sequence;
    onEntries(newest);
  }
  const source = journalSource(database, undefined);
  for (const { sequence, hash } of checkpoints.toReversed()) {
    if (!equalBytes(await source.digestAt(sequence), hash)) continue;
    if ((await chain.anchorOf(hash))?.size === 0) return { checkpoint: sequence, newest };
  }
  return { checkpoint: 0, newest };
}

/** Writes the codes of all rows anew under a new key; inside the transaction that has read them. */
export async function writeUnderNewKey(transaction: Database, extent: ProvedExtent): Promise<JournalKey> {
  const key = JournalKey.generate();
  for await (const row of storedRows(transaction, 0, extent.newest)) {
    const code = key.codeOf(row);
    await transaction.updateTable("entries").set({ code }).where("first_sequence", "=", row.first).execute();
  }
  return key;
}

/** Appends that the key was replaced, and why. */
export async function appendReason(
  transaction: Database,
  key: JournalKey,
  extent: ProvedExtent,
  reason: string,
): Promise<void> {
  await appendResolution(transaction, key, {
    divergence: `key: the journal's key was replaced; the chain proves the entries up to ${extent.checkpoint}`,
    reason,
    resolved_at: Date.now(),
  });
}

/** Stores the key, before the transaction ends that wrote the rows with it. */
export async function storeKey(config: Config, key: JournalKey): Promise<string> {
  const file = journalKeyFile(config);
  await writeJournalKey(file, key);
  return file;
}
