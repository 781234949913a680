import { addIssuerKey } from "../../server/attestation/issuer-key-store.ts";
import type { Insertable } from "kysely";
import {
  checkpointHash,
  DigestTree,
  ENTRIES_PER_BLOCK,
  type TreeNode,
} from "../../server/journal/integrity/digest-tree.ts";
import { follow, GENESIS, type JournalLine } from "../../server/journal/integrity/entry-chain.ts";
import { hashesUnder } from "../../server/journal/integrity/stored-anchor.ts";
import type { AnchorContent, BlockInclusion } from "../../server/chain/contracts/anchor-content.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { ContractCall } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";
import { type AnchorContract, anchorContracts } from "../../server/journal/contract-store.ts";
import { confirmInBlocks, insertConfirmation } from "../../server/journal/entries/confirmations.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import {
  type AccountEntry,
  type ConfirmationEntry,
  type JournalEntry,
  encodeEntry,
  decodeEntry,
  type ProofEntry,
} from "../../server/journal/entries/codec.ts";
import { ENTRIES_PER_ROW, insertRow } from "../../server/journal/entries/journal-rows.ts";
import { sumRecentKeys } from "../../server/journal/index/key-sums.ts";
import { labelIds, encodeLabel, decodeLabel } from "../../server/journal/entries/proof-labels.ts";
import { continueNumbers } from "../../server/journal/engine/migrations/portable-schema.ts";
import { mergeRecentKeys } from "../../server/journal/index/key-merge.ts";
import { proofKeys, proofRow } from "../../server/proofs/proof-rows.ts";
import type { RecentKeysTable, TransactionsTable } from "../../server/journal/engine/schema.ts";
import { chunks } from "../../server/journal/engine/statement-cache.ts";

/** A batch with unconfirmed leaves. */
interface OpenBatch {
  readonly firstSequence: number;
  lastSequence: number;
  leaves: number;
  /** Leaves covered by confirmations. */
  readonly confirmed: { readonly first: number; readonly count: number }[];
}

/** Unconfirmed leaves of a batch. */
export interface UnconfirmedLeaves {
  readonly batch: number;
  readonly firstLeaf: number;
  /** Recorded hashes, by leaf index. */
  readonly hashes: readonly Uint8Array[];
  readonly firstSequence: number;
  readonly lastSequence: number;
}

/**
 * Rebuilds an empty journal in one transaction.
 * @param contract Address of the anchor contract for what is to be anchored yet
 */
export function rebuildJournal<T>(
  database: Database,
  contract: string,
  work: (rebuild: JournalRebuild) => Promise<T>,
): Promise<T> {
  return database.transaction().execute((transaction) => work(new JournalRebuild(transaction, contract)));
}

/** Writes a journal from its entries; inside a transaction. */
export class JournalRebuild {
  readonly #database: Database;
  /** Address of the anchor contract for what is to be anchored yet. */
  readonly #contract: string;
  readonly #open = new Map<number, OpenBatch>();
  /** Entries, by the content of their checkpoint, that may have a checkpoint on chain that the replica lacks. */
  readonly #unanchored = new Map<string, number>();
  readonly #tree = new DigestTree();
  #root = this.#tree.root;
  #head = GENESIS;
  #proofs = 0;
  /** The newest block with an anchor of the journal. */
  #block = 0;
  /** Greater than every id of an anchor or a batch, so that no id is assigned twice. */
  #nextAnchor = 1;

  constructor(database: Database, contract: string) {
    this.#database = database;
    this.#contract = contract;
  }

  get proofs(): number {
    return this.#proofs;
  }

  /** Returns the contracts that the entries name. */
  contracts(): Promise<AnchorContract[]> {
    return anchorContracts(this.#database);
  }

  get newestBlock(): number {
    return this.#block;
  }

  /** @throws SealbookError `conflict` when the journal is not empty */
  async assertEmpty(): Promise<void> {
    const { sequence } = await this.#database.selectFrom("journal_head").select("sequence").executeTakeFirstOrThrow();
    const transaction = await this.#database.selectFrom("transactions").select("id").limit(1).executeTakeFirst();
    if (sequence > 0 || transaction !== undefined) {
      throw new SealbookError("conflict", "the database is not empty: a journal is rebuilt in one that is");
    }
  }

  /** Writes the next entries. */
  async append(lines: readonly JournalLine[]): Promise<void> {
    let before = this.#head;
    const entries: { entry: JournalEntry; digest: Uint8Array }[] = [];
    const nodes: TreeNode[] = [];
    for (const { sequence, text } of lines) {
      const entry = decodeEntry(text);
      const next = follow(this.#head, { sequence, text });
      if (next === undefined || entry.sequence !== sequence) {
        throw new SealbookError("malformed", `entry ${entry.sequence} stands where ${this.#head.sequence + 1} has to`);
      }
      // The stored fields of an entry must give the same digest.
      if (encodeEntry(entry) !== text)
        throw new SealbookError("malformed", `entry ${sequence} is not in its canonical form`);
      this.#head = next;
      if (sequence - before.sequence === ENTRIES_PER_ROW) {
        await insertRow(this.#database, before, next);
        before = next;
      }
      if (sequence % ENTRIES_PER_BLOCK === 0) {
        nodes.push(...this.#tree.add(next.digest));
        this.#root = this.#tree.root;
      }
      this.#unanchored.set(keyOfDigest(checkpointHash(this.#root, next)), sequence);
      entries.push({ entry, digest: next.digest });
    }
    await this.#addProofs(entries.flatMap(({ entry, digest }) => (entry.kind === "proof" ? [{ entry, digest }] : [])));
    for (const { entry, digest } of entries) {
      if (entry.kind === "confirmation") await this.#addConfirmation(entry, digest);
      if (entry.kind === "account") await this.#addAccount(entry, digest);
      if (entry.kind === "verification" || entry.kind === "resolution") {
        await this.#database
          .insertInto("notices")
          .values({ sequence: entry.sequence, text: encodeEntry(entry), digest })
          .execute();
      }
      if (entry.kind === "verification") {
        const { id, sequence, finishedAt } = entry;
        await this.#database
          .insertInto("recovery_verifications")
          .values({ id, sequence, started_at: finishedAt })
          .execute();
      }
      if (entry.kind === "issuer_key") await addIssuerKey(this.#database, entry, digest);
    }
    for (const some of chunks(nodes)) await this.#database.insertInto("digest_nodes").values(some).execute();
    await this.#database
      .updateTable("journal_head")
      .set({ ...this.#head, proofs: this.#proofs })
      .execute();
    if (before.sequence < this.#head.sequence) await insertRow(this.#database, before, this.#head);
    await mergeRecentKeys(this.#database, this.#head.sequence - lines.length, this.#head.sequence);
  }

  /** Returns accepted leaves that no entry confirms. */
  async *unconfirmed(): AsyncGenerator<UnconfirmedLeaves> {
    for (const [batch, { firstSequence, lastSequence, leaves, confirmed }] of this.#open) {
      for (const { first, end } of gaps(leaves, confirmed)) {
        const rows = await this.#database
          .selectFrom("proofs")
          .leftJoin("proof_labels", "proof_labels.id", "proofs.label_id")
          .select(["document_id", "timestamp", "hash", "proof_labels.text as label"])
          .where("sequence", ">=", firstSequence)
          .where("sequence", "<=", lastSequence)
          .where("batch_id", "=", batch)
          .where("shares_leaf", "=", 0)
          .where("leaf_index", ">=", first)
          .where("leaf_index", "<", end)
          .orderBy("leaf_index")
          .execute();
        const hashes = rows.map(({ document_id: documentId, timestamp, hash, label }) =>
          recordHash({ documentId, timestamp, hash, type: decodeLabel(label).type }),
        );
        yield { batch, firstLeaf: first, hashes, firstSequence, lastSequence };
      }
    }
  }

  /** Writes the confirmations on chain of leaves that no entry confirms. */
  async confirm(
    leaves: UnconfirmedLeaves,
    content: AnchorContent,
    { contract, transactionHash, block }: BlockInclusion,
  ): Promise<void> {
    const id = await this.#anchor(leaves, content, {
      state: "confirmed",
      to_address: contract,
      hash: transactionHash,
      outcome_at: Date.now(),
    });
    await confirmInBlocks(this.#database, new Map([[id, block]]));
  }

  /** Queues anchors for leaves that neither an entry nor the chain confirms; any relayer can send them. */
  async queue(leaves: UnconfirmedLeaves, content: AnchorContent, call: ContractCall): Promise<void> {
    await this.#anchor(leaves, content, { state: "queued", to_address: this.#contract, data: call.data });
  }

  /**
   * Writes the confirmation of a checkpoint on chain. Ignores hashes that are not of the journal or are
   * already confirmed.
   */
  async confirmCheckpoint(hash: Uint8Array, { contract, transactionHash, block }: BlockInclusion): Promise<void> {
    const checkpoint = this.#unanchored.get(keyOfDigest(hash));
    if (checkpoint === undefined) return;
    const places = {
      batch: this.#nextAnchor,
      firstLeaf: 0,
      hashes: [],
      firstSequence: checkpoint + 1,
      lastSequence: checkpoint,
    };
    const sent = { to_address: contract, hash: transactionHash };
    const mined = { state: "confirmed", ...sent, outcome_at: Date.now() } as const;
    const id = await this.#anchor(places, { hash, size: 0 }, mined, checkpoint);
    await confirmInBlocks(this.#database, new Map([[id, block]]));
  }

  /** Continues the numbering of new rows after the written ones. */
  finish(): Promise<void> {
    return continueNumbers(this.#database, "anchors", "id");
  }

  /** @returns the transaction's id */
  async #anchor(
    leaves: UnconfirmedLeaves,
    { hash, size }: AnchorContent,
    state: Pick<Insertable<TransactionsTable>, "state" | "to_address" | "hash" | "data" | "outcome_at">,
    checkpoint: number | null = null,
  ): Promise<number> {
    const now = Date.now();
    const { id: transactionId } = await this.#database
      .insertInto("transactions")
      .values({ purpose: "anchor", created_at: now, ...state })
      .returning("id")
      .executeTakeFirstOrThrow();
    const first = await this.#database
      .selectFrom("anchors")
      .select("id")
      .where("batch_id", "=", leaves.batch)
      .limit(1)
      .executeTakeFirst();
    const id = first === undefined ? leaves.batch : this.#nextAnchor;
    this.#nextAnchor = Math.max(this.#nextAnchor, id + 1);
    await this.#database
      .insertInto("anchors")
      .values({
        id,
        batch_id: leaves.batch,
        first_leaf: leaves.firstLeaf,
        last_leaf: leaves.firstLeaf + leaves.hashes.length - 1,
        first_sequence: leaves.firstSequence,
        last_sequence: leaves.lastSequence,
        hash,
        size,
        transaction_id: transactionId,
        checkpoint,
        relayer: "",
        opened_at: now,
      })
      .execute();
    return transactionId;
  }

  async #addProofs(proofs: readonly { entry: ProofEntry; digest: Uint8Array }[]): Promise<void> {
    const labels = await labelIds(
      this.#database,
      proofs.map(({ entry }) => encodeLabel(entry)),
    );
    const rows = [];
    for (const { entry, digest } of proofs) {
      this.#nextAnchor = Math.max(this.#nextAnchor, entry.batch + 1);
      const sharesLeaf = await this.#sharesLeaf(entry);
      rows.push(proofRow(entry, digest, labels(encodeLabel(entry)), sharesLeaf));
    }
    const keys: RecentKeysTable[] = proofKeys(proofs.map(({ entry }) => ({ ...entry, recordHash: recordHash(entry) })));
    for (const some of chunks(rows)) await this.#database.insertInto("proofs").values(some).execute();
    await sumRecentKeys(this.#database, keys);
    for (const some of chunks(keys)) await this.#database.insertInto("proof_keys_recent").values(some).execute();
    this.#proofs += proofs.length;
  }

  /** Returns whether a proof shares the leaf index of an earlier one. Leaf indexes of other proofs are ascending. */
  async #sharesLeaf({ batch, leaf, sequence }: ProofEntry): Promise<boolean> {
    const known = this.#open.get(batch);
    if (known === undefined) {
      const anchor = await this.#database
        .selectFrom("anchors")
        .select("id")
        .where("batch_id", "=", batch)
        .limit(1)
        .executeTakeFirst();
      if (anchor !== undefined) return true;
      this.#open.set(batch, { firstSequence: sequence, lastSequence: sequence, leaves: leaf + 1, confirmed: [] });
      return false;
    }
    if (leaf < known.leaves) return true;
    known.leaves = leaf + 1;
    known.lastSequence = sequence;
    return false;
  }

  async #addConfirmation(entry: ConfirmationEntry, digest: Uint8Array): Promise<void> {
    this.#block = Math.max(this.#block, entry.blockNumber);
    this.#nextAnchor = Math.max(this.#nextAnchor, entry.anchor + 1);
    if (entry.checkpoint !== null) this.#dropUnanchored(entry.checkpoint);
    await insertConfirmation(this.#database, entry, digest);
    const transactionId = await this.#addTransaction(entry);
    const known = await this.#database
      .selectFrom("anchors")
      .select("id")
      .where("id", "=", entry.anchor)
      .executeTakeFirst();
    if (known !== undefined) {
      const change = { confirmation: entry.sequence, transaction_id: transactionId };
      await this.#database.updateTable("anchors").set(change).where("id", "=", entry.anchor).execute();
      return;
    }
    const places =
      entry.checkpoint === null
        ? this.#cover(entry)
        : { last_leaf: -1, first_sequence: entry.checkpoint + 1, last_sequence: entry.checkpoint };
    await this.#database
      .insertInto("anchors")
      .values({
        id: entry.anchor,
        batch_id: entry.batch,
        first_leaf: entry.firstLeaf,
        ...places,
        hash: entry.hash,
        size: entry.size,
        transaction_id: transactionId,
        confirmation: entry.sequence,
        checkpoint: entry.checkpoint,
        relayer: "",
        opened_at: entry.blockTime * 1000,
      })
      .execute();
  }

  /** Drops an entry and those before it: the next checkpoint is over a later entry. */
  #dropUnanchored(checkpoint: number): void {
    for (const [digest, sequence] of this.#unanchored) {
      if (sequence > checkpoint) break;
      this.#unanchored.delete(digest);
    }
  }

  /** Marks leaves of a batch as confirmed. */
  #cover({ batch, firstLeaf, size, sequence }: ConfirmationEntry) {
    const open = this.#open.get(batch);
    if (open === undefined)
      throw new SealbookError("malformed", `entry ${sequence} confirms batch ${batch}, of which there are no proofs`);
    const count = hashesUnder({ size });
    open.confirmed.push({ first: firstLeaf, count });
    if (open.confirmed.reduce((sum, part) => sum + part.count, 0) >= open.leaves) this.#open.delete(batch);
    return { last_leaf: firstLeaf + count - 1, first_sequence: open.firstSequence, last_sequence: open.lastSequence };
  }

  async #addTransaction({ transactionHash, ...entry }: ConfirmationEntry): Promise<number> {
    const block = {
      block_number: entry.blockNumber,
      block_hash: entry.blockHash,
      block_time: entry.blockTime,
      validator: entry.validator,
    };
    const known = await this.#database
      .selectFrom("transactions")
      .select("id")
      .where("hash", "=", transactionHash)
      .executeTakeFirst();
    if (known !== undefined) {
      await this.#database.updateTable("transactions").set(block).where("id", "=", known.id).execute();
      return known.id;
    }
    const time = entry.blockTime * 1000;
    const { id } = await this.#database
      .insertInto("transactions")
      .values({
        purpose: "anchor",
        to_address: entry.contract,
        state: "confirmed",
        hash: transactionHash,
        ...block,
        created_at: time,
        outcome_at: time,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    return id;
  }

  async #addAccount({ address, keystore, createdAt, sequence }: AccountEntry, digest: Uint8Array): Promise<void> {
    // The account's role is on chain; the event indexer copies it.
    await this.#database
      .insertInto("accounts")
      .values({
        address,
        keystore,
        scope: "read",
        enrolled: 0,
        created_at: createdAt,
        revoked_at: null,
        sequence,
        digest,
      })
      .execute();
  }
}

/** Returns the ranges of unconfirmed leaves. */
function gaps(leaves: number, confirmed: OpenBatch["confirmed"]): { first: number; end: number }[] {
  const found: { first: number; end: number }[] = [];
  let next = 0;
  for (const { first, count } of confirmed.toSorted((a, b) => a.first - b.first)) {
    if (first > next) found.push({ first: next, end: first });
    next = Math.max(next, first + count);
  }
  if (next < leaves) found.push({ first: next, end: leaves });
  return found;
}

function keyOfDigest(digest: Uint8Array): string {
  return Buffer.from(digest).toString("base64");
}
