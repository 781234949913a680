import { sql } from "kysely";
import { blockRanges } from "../../server/journal/check/chain-anchors.ts";
import { type Database, isPostgres } from "../../server/journal/engine/database.ts";
import { readHead } from "../../server/journal/entries/journal-rows.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import type { ObjectStore } from "../../server/journal/replication/object-store.ts";
import { replicaObjects } from "../../server/journal/replication/replica-reader.ts";
import { SealbookError } from "../../server/errors.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import type { AnchorContent, BlockInclusion } from "../../server/chain/contracts/anchors.ts";
import type { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import type { JournalRebuild, UnconfirmedLeaves } from "./rebuild.ts";

/** Rows that are written with one statement. */
const ROWS_AT_ONCE = 1_000;

/** Reads of the chain. */
export type RestoringChain = Pick<
  ProofAnchorClient,
  "anchorCall" | "anchorOf" | "blockOf" | "firstBlock" | "newestBlock" | "anchors"
>;

/** Result of a restore. */
export interface Restored {
  readonly entries: number;
  readonly proofs: number;
  /** Proofs confirmed on chain that no entry confirmed. */
  readonly confirmedSince: number;
  /** Proofs that are not anchored yet. */
  readonly pending: number;
}

/**
 * Prepares a transaction that lasts long: the chain is queried inside of it.
 */
export async function prepareRestore(transaction: Database): Promise<void> {
  if (isPostgres(transaction)) await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
}

/** @throws SealbookError `conflict` when a journal is not empty */
export async function assertEmpty(database: Database): Promise<void> {
  const { sequence } = await readHead(database);
  const known = await database.selectFrom("transactions").select("id").limit(1).executeTakeFirst();
  if (sequence > 0 || known !== undefined)
    throw new SealbookError("conflict", "the database is not empty: a replica is restored into one that is");
}

/**
 * Writes the rows of a replica into an empty journal, as they are, and checks each.
 * @param key `undefined`: they have to give their digests only
 * @throws ReplicaFault at the first fault of the replica
 * @throws SealbookError `conflict` when the journal is not empty
 */
export async function copyRows(
  transaction: Database,
  store: ObjectStore,
  key: JournalKey | undefined,
  onEntries: (done: number) => void,
): Promise<void> {
  await assertEmpty(transaction);
  for await (const { rows, last } of replicaObjects(store, key)) {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const values = some.map(({ first, last: to, ...rest }) => ({
        first_sequence: first,
        last_sequence: to,
        ...rest,
      }));
      await transaction.insertInto("entries").values(values).execute();
    }
    onEntries(last);
  }
}

/**
 * Builds the tables of a journal from its rows, and queries the chain for confirmations that no entry has.
 * @throws RangeError when a row is missing, or was not written with the key
 */
export async function restoreTables(
  rebuild: JournalRebuild,
  chain: RestoringChain,
  onEntries: (done: number) => void,
): Promise<Restored> {
  await rebuild.readRows(onEntries);
  const entries = rebuild.newest;
  let confirmedSince = 0;
  let pending = 0;
  for await (const leaves of rebuild.unconfirmed()) {
    if (await recordOutcome(rebuild, chain, leaves)) confirmedSince += leaves.hashes.length;
    else pending += leaves.hashes.length;
  }
  await findCheckpoints(rebuild, chain);
  await rebuild.finish();
  return { entries, proofs: rebuild.proofs, confirmedSince, pending };
}

/** @returns whether the leaves are anchored on chain */
async function recordOutcome(
  rebuild: JournalRebuild,
  chain: RestoringChain,
  leaves: UnconfirmedLeaves,
): Promise<boolean> {
  // A single hash may be anchored as it is or under a root.
  const forms = [contentOver(leaves.hashes).content, contentOver(leaves.hashes, true).content];
  for (const content of forms) {
    const mined = await findAnchor(chain, content);
    if (mined === undefined) continue;
    await rebuild.confirm(leaves, content, mined);
    return true;
  }
  const { content } = contentOver(leaves.hashes);
  await rebuild.queue(leaves, content, chain.anchorCall(content));
  return false;
}

/** Records checkpoints on chain that the replica lacks. */
async function findCheckpoints(rebuild: JournalRebuild, chain: RestoringChain): Promise<void> {
  const newest = await chain.newestBlock();
  for (const { from, to } of blockRanges(Math.max(chain.firstBlock, rebuild.newestBlock), newest)) {
    for (const { hash, size, contract, transactionHash } of await chain.anchors(from, to)) {
      const block = size === 0 ? await chain.blockOf(transactionHash, hash) : undefined;
      if (block !== undefined) await rebuild.confirmCheckpoint(hash, { contract, transactionHash, block });
    }
  }
}

/** Finds the transaction and the block of an anchor on chain; `undefined` when it is not there in this form. */
async function findAnchor(
  chain: Pick<ProofAnchorClient, "anchorOf" | "anchors" | "blockOf">,
  { hash, size }: AnchorContent,
): Promise<BlockInclusion | undefined> {
  const anchor = await chain.anchorOf(hash);
  if (anchor?.size !== size) return undefined;
  const logged = await chain.anchors(anchor.blockNumber, anchor.blockNumber);
  const found = logged.find((each) => Buffer.compare(each.hash, hash) === 0);
  const block = found && (await chain.blockOf(found.transactionHash, hash));
  return found && block && { contract: anchor.contract, transactionHash: found.transactionHash, block };
}
