import { addIssuerKey } from "../../server/issuer/issuer-key-store.ts";
import type { Insertable } from "kysely";
import { GENESIS, type JournalLine, nextDigest } from "../../server/journal/integrity/entry-chain.ts";
import type { AnchorContent, BlockInclusion } from "../../server/chain/contracts/anchors.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { ContractCall } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";
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
import { proofsOfBatch } from "../../server/journal/entries/batch-rows.ts";
import { appendRow } from "../../server/journal/entries/entry-log.ts";
import { type CountedHead, ENTRIES_PER_ROW, readHead, RowReader } from "../../server/journal/entries/journal-rows.ts";
import { continueNumbers } from "../../server/journal/engine/migrations/portable-schema.ts";
import { proofKeys } from "../../server/proofs/proof-rows.ts";
import type { RecentKeysTable, TransactionsTable } from "../../server/journal/engine/schema.ts";
import { chunks } from "../../server/journal/engine/statement-cache.ts";

/** The leaves of an unconfirmed anchor. */
export interface UnconfirmedLeaves {
  readonly anchor: number;
  /** Recorded hashes, by leaf index. */
  readonly hashes: readonly Uint8Array[];
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
  /** Anchors with leaves that no entry confirms. */
  readonly #open = new Set<number>();
  readonly #rows = new RowReader();
  /** Entries, by their digest, that may have a checkpoint on chain that the replica lacks. */
  readonly #unanchored = new Map<string, number>();
  #head: CountedHead = { ...GENESIS, proofs: 0 };
  /** The newest block with an anchor of the journal. */
  #block = 0;
  /** Greater than every id of an anchor, so that no id is assigned twice. */
  #nextAnchor = 1;

  constructor(database: Database, contract: string) {
    this.#database = database;
    this.#contract = contract;
  }

  get proofs(): number {
    return this.#head.proofs;
  }

  get newestBlock(): number {
    return this.#block;
  }

  /** @throws SealbookError `conflict` when the journal is not empty */
  async assertEmpty(): Promise<void> {
    const { sequence } = await readHead(this.#database);
    const transaction = await this.#database.selectFrom("transactions").select("id").limit(1).executeTakeFirst();
    if (sequence > 0 || transaction !== undefined) {
      throw new SealbookError("conflict", "the database is not empty: a journal is rebuilt in one that is");
    }
  }

  /** Writes the next entries. */
  async append(lines: readonly JournalLine[]): Promise<void> {
    let { sequence: before, digest } = this.#head;
    const entries = lines.map(({ sequence, text }) => {
      const entry = decodeEntry(text);
      if (sequence !== (before += 1) || entry.sequence !== sequence)
        throw new SealbookError("malformed", `entry ${entry.sequence} stands where ${before} has to`);
      // The stored fields of an entry must give the same digest.
      if (encodeEntry(entry) !== text)
        throw new SealbookError("malformed", `entry ${sequence} is not in its canonical form`);
      digest = nextDigest(digest, text);
      this.#unanchored.set(keyOfDigest(digest), sequence);
      return { entry, text };
    });
    for (let first = 0; first < entries.length; first += ENTRIES_PER_ROW) {
      const some = entries.slice(first, first + ENTRIES_PER_ROW);
      this.#head = await appendRow(
        this.#database,
        this.#head,
        some.map(({ entry }) => entry),
        some.map(({ text }) => text),
      );
    }
    await this.#addProofs(entries.flatMap(({ entry }) => (entry.kind === "proof" ? [entry] : [])));
    for (const { entry } of entries) await this.#addFacts(entry);
  }

  /** Writes what an entry is found by. */
  async #addFacts(entry: JournalEntry): Promise<void> {
    switch (entry.kind) {
      case "proof":
        return;
      case "confirmation":
        return this.#addConfirmation(entry);
      case "account":
        return this.#addAccount(entry);
      case "issuer_key":
        return addIssuerKey(this.#database, entry);
      case "resolution": {
        await this.#database.insertInto("resolutions").values({ sequence: entry.sequence }).execute();
        return;
      }
      case "verification": {
        const { id, sequence, finishedAt } = entry;
        const found = { id, sequence, started_at: finishedAt };
        await this.#database.insertInto("recovery_verifications").values(found).execute();
      }
    }
  }

  /** Returns accepted leaves that no entry confirms. */
  async *unconfirmed(): AsyncGenerator<UnconfirmedLeaves> {
    for (const anchor of this.#open) {
      const hashes: Uint8Array[] = [];
      for (const entry of await proofsOfBatch(this.#database, this.#rows, anchor))
        hashes[entry.leaf] ??= recordHash(entry);
      yield { anchor, hashes };
    }
  }

  /** Writes the confirmations on chain of leaves that no entry confirms. */
  async confirm(
    { anchor }: UnconfirmedLeaves,
    content: AnchorContent,
    { contract, transactionHash, block }: BlockInclusion,
  ): Promise<void> {
    const id = await this.#anchor(anchor, content, {
      state: "confirmed",
      to_address: contract,
      hash: transactionHash,
      outcome_at: Date.now(),
    });
    await confirmInBlocks(this.#database, new Map([[id, block]]));
  }

  /** Queues anchors for leaves that neither an entry nor the chain confirms; any relayer can send them. */
  async queue({ anchor }: UnconfirmedLeaves, content: AnchorContent, call: ContractCall): Promise<void> {
    await this.#anchor(anchor, content, { state: "queued", to_address: this.#contract, data: call.data });
  }

  /**
   * Writes the confirmation of a checkpoint on chain. Ignores hashes that are not of the journal or are
   * already confirmed.
   */
  async confirmCheckpoint(hash: Uint8Array, { contract, transactionHash, block }: BlockInclusion): Promise<void> {
    const checkpoint = this.#unanchored.get(keyOfDigest(hash));
    if (checkpoint === undefined) return;
    const sent = { to_address: contract, hash: transactionHash };
    const mined = { state: "confirmed", ...sent, outcome_at: Date.now() } as const;
    const id = await this.#anchor(this.#nextAnchor, { hash, size: 0 }, mined, checkpoint);
    await confirmInBlocks(this.#database, new Map([[id, block]]));
  }

  /** Continues the numbering of new rows after the written ones. */
  finish(): Promise<void> {
    return continueNumbers(this.#database, "anchors", "id");
  }

  /** @returns the transaction's id */
  async #anchor(
    id: number,
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
    this.#nextAnchor = Math.max(this.#nextAnchor, id + 1);
    await this.#database
      .insertInto("anchors")
      .values({
        id,
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

  async #addProofs(proofs: readonly ProofEntry[]): Promise<void> {
    for (const anchor of new Set(proofs.map((proof) => proof.anchor))) {
      this.#nextAnchor = Math.max(this.#nextAnchor, anchor + 1);
      // A later proof under an anchor that is confirmed shares one of its leaves.
      if (!this.#open.has(anchor) && !(await this.#hasAnchor(anchor))) this.#open.add(anchor);
    }
    const keys: RecentKeysTable[] = proofKeys(proofs.map((entry) => ({ ...entry, recordHash: recordHash(entry) })));
    for (const some of chunks(keys)) await this.#database.insertInto("proof_keys_recent").values(some).execute();
  }

  async #hasAnchor(id: number): Promise<boolean> {
    const anchor = await this.#database.selectFrom("anchors").select("id").where("id", "=", id).executeTakeFirst();
    return anchor !== undefined;
  }

  async #addConfirmation(entry: ConfirmationEntry): Promise<void> {
    this.#block = Math.max(this.#block, entry.blockNumber);
    this.#nextAnchor = Math.max(this.#nextAnchor, entry.anchor + 1);
    if (entry.checkpoint !== null) this.#dropUnanchored(entry.checkpoint);
    await insertConfirmation(this.#database, entry);
    const transactionId = await this.#addTransaction(entry);
    if (await this.#hasAnchor(entry.anchor)) {
      const change = { confirmation: entry.sequence, transaction_id: transactionId };
      await this.#database.updateTable("anchors").set(change).where("id", "=", entry.anchor).execute();
      return;
    }
    if (entry.checkpoint === null && !this.#open.delete(entry.anchor)) {
      const text = `entry ${entry.sequence} confirms anchor ${entry.anchor}, under which there are no proofs`;
      throw new SealbookError("malformed", text);
    }
    await this.#database
      .insertInto("anchors")
      .values({
        id: entry.anchor,
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

  async #addAccount({ address, keystore, createdAt, sequence }: AccountEntry): Promise<void> {
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
      })
      .execute();
  }
}

function keyOfDigest(digest: Uint8Array): string {
  return Buffer.from(digest).toString("base64");
}
