import { type Insertable, sql } from "kysely";
import { GENESIS } from "../../server/journal/integrity/entry-chain.ts";
import type { AnchorContent, BlockInclusion } from "../../server/chain/contracts/anchors.ts";
import { recordHashOf } from "../../server/journal/integrity/record-hash.ts";
import type { ContractCall } from "../../server/chain/transaction.ts";
import { SealbookError } from "../../server/errors.ts";
import { confirmAnchors } from "../../server/journal/entries/confirmations.ts";
import { type Database, isPostgres } from "../../server/journal/engine/database.ts";
import {
  type ConfirmationEntry,
  type JournalEntry,
  encodeEntry,
  type ProofEntry,
} from "../../server/journal/entries/codec.ts";
import { proofsUnder } from "../../server/journal/entries/anchor-proofs.ts";
import { entryOf } from "../../server/journal/entries/entry-source.ts";
import type { JournalRow } from "../../server/journal/entries/journal-row.ts";
import { type CountedHead, rowsBetween } from "../../server/journal/entries/journal-rows.ts";
import { project } from "../../server/journal/entries/project.ts";
import { codeOfCall } from "../../server/journal/transactions/call-code.ts";
import { type ClosedAnchor, codeOfAnchor, isAnchorOf } from "../../server/journal/integrity/anchor-code.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";
import type { AnchorsTable, TransactionsTable } from "../../server/journal/engine/schema.ts";

/** The leaves of an unconfirmed anchor. */
export interface UnconfirmedLeaves {
  readonly anchor: number;
  /** Recorded hashes, by leaf index. */
  readonly hashes: readonly Uint8Array[];
}

/** Builds the tables of a journal from its entries; inside a transaction. */
export class JournalRebuild {
  readonly #database: Database;
  readonly #key: JournalKey;
  /** Address of the anchor contract for what is to be anchored yet. */
  readonly #contract: string;
  /** Anchors with leaves that no entry confirms, with their first proof. */
  readonly #open = new Map<number, number>();
  /** Last entries of rows, by their digest, that may have a checkpoint on chain that the journal lacks. */
  readonly #unanchored = new Map<string, number>();
  #head: CountedHead = { ...GENESIS, proofs: 0 };
  /** The newest block with an anchor of the journal. */
  #block = 0;
  /** Greater than every id of an anchor, so that no id is assigned twice. */
  #nextAnchor = 1;

  /** @param contract Address of the anchor contract for what is to be anchored yet */
  constructor(database: Database, key: JournalKey, contract: string) {
    this.#database = database;
    this.#key = key;
    this.#contract = contract;
  }

  /** The newest entry that was written. */
  get newest(): number {
    return this.#head.sequence;
  }

  get proofs(): number {
    return this.#head.proofs;
  }

  get newestBlock(): number {
    return this.#block;
  }

  /**
   * Empties the tables for finding, and writes them again from the rows of the journal.
   * @throws RangeError when a row is missing, or was not written with the key
   */
  async readRows(onEntries: (done: number) => void): Promise<void> {
    const { newest } = await this.#database
      .selectFrom("anchors")
      .select((e) => e.fn.max<number | null>("id").as("newest"))
      .executeTakeFirstOrThrow();
    this.#nextAnchor = (newest ?? 0) + 1;
    await this.#clear();
    for await (const row of rowsBetween(this.#database, this.#key, 0, Number.MAX_SAFE_INTEGER)) {
      // The entries give the digest of the row.
      row.digestAt();
      const before = this.#head;
      const entries = entriesOf(row);
      // Checkpoints are over the last entry of a row.
      this.#unanchored.set(keyOfDigest(row.digest), row.sequence);
      const proofs = before.proofs + entries.filter(({ kind }) => kind === "proof").length;
      if (row.proofs !== proofs)
        throw new RangeError(`the row of entry ${row.sequence} counts other proofs than it has`);
      this.#head = { sequence: row.sequence, digest: row.digest, proofs };
      await this.#addAnchors(entries);
      await project(this.#database, entries, before.sequence);
      onEntries(row.sequence);
    }
    await this.#dropUnproven();
  }

  async #clear(): Promise<void> {
    const database = this.#database;
    const tables = ["proof_index", "confirmations", "accounts", "issuer_keys", "resolutions", "stores"];
    // Rows that are deleted in PostgreSQL still take their space.
    if (isPostgres(database))
      await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(database);
    else
      for (const table of [...tables, "proof_index_recent"])
        await sql`delete from ${sql.table(table)}`.execute(database);
    await database.deleteFrom("entries").where("first_sequence", "<", 1).execute();
    await database.updateTable("recovery_verifications").set({ sequence: null }).execute();
    // Entries say what is confirmed, and of which content.
    const open = { hash: null, transaction_id: null, code: null, confirmation: null };
    await database.updateTable("anchors").set(open).where("confirmation", "is not", null).execute();
  }

  /**
   * Drops what no entry says of anchors: anchors without proofs, unconfirmed ones that no relayer has closed, and those
   * whose transactions are not in flight. The chain is queried for them.
   */
  async #dropUnproven(): Promise<void> {
    const rows = await this.#database
      .selectFrom("anchors")
      .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
      .select([
        "anchors.id",
        "first_sequence",
        "anchors.hash",
        "size",
        "checkpoint",
        "anchors.code",
        "transactions.state",
      ])
      .where("confirmation", "is", null)
      .execute();
    for (const { state, ...anchor } of rows) {
      const { id, hash, checkpoint } = anchor;
      const isLive = state !== null && state !== "confirmed" && hash !== null;
      const isOwn = isLive && isAnchorOf(this.#key, { ...anchor, hash });
      if (isOwn && (checkpoint !== null || this.#open.has(id))) continue;
      await this.#database.deleteFrom("anchors").where("id", "=", id).execute();
    }
  }

  /** Returns accepted leaves that no entry confirms. */
  async *unconfirmed(): AsyncGenerator<UnconfirmedLeaves> {
    for (const [anchor, first] of this.#open) {
      // Its transaction is in flight.
      if ((await this.#firstOf(anchor)) !== undefined) continue;
      // An open anchor, until its content is known.
      const found = { id: anchor, first_sequence: first, size: 0, opened_at: Date.now() };
      await this.#database.insertInto("anchors").values(found).execute();
      const hashes: Uint8Array[] = [];
      for (const entry of await proofsUnder(this.#database, this.#key, anchor))
        hashes[entry.leaf] ??= recordHashOf(entry);
      yield { anchor, hashes };
    }
  }

  /** Writes the confirmations on chain of leaves that no entry confirms. */
  async confirm(
    { anchor }: UnconfirmedLeaves,
    content: AnchorContent,
    { contract, transactionHash, block }: BlockInclusion,
  ): Promise<void> {
    const id = await this.#addTransaction({ contract, transactionHash, block });
    await this.#close(anchor, content, id);
    const mined = { hash: transactionHash, block, anchored: { ...content, contract } };
    await confirmAnchors(this.#database, this.#key, new Map([[id, mined]]));
  }

  /** Queues anchors for leaves that neither an entry nor the chain confirms; any relayer can send them. */
  async queue({ anchor }: UnconfirmedLeaves, content: AnchorContent, call: ContractCall): Promise<void> {
    const queued = { state: "queued", to_address: this.#contract, data: call.data } as const;
    await this.#close(anchor, content, await this.#insertTransaction(queued));
  }

  async #close(id: number, { hash, size }: AnchorContent, transactionId: number): Promise<void> {
    const { first_sequence } = await this.#database
      .selectFrom("anchors")
      .select("first_sequence")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    const code = codeOfAnchor(this.#key, { id, first_sequence, hash, size, checkpoint: null });
    const content = { hash, size, code, transaction_id: transactionId };
    await this.#database.updateTable("anchors").set(content).where("id", "=", id).execute();
  }

  /**
   * Writes the confirmation of a checkpoint on chain. Ignores hashes that are not of the journal or are known.
   */
  async confirmCheckpoint(hash: Uint8Array, inclusion: BlockInclusion): Promise<void> {
    const checkpoint = this.#unanchored.get(keyOfDigest(hash));
    if (checkpoint === undefined || (await this.#hasContent(hash))) return;
    const transactionId = await this.#addTransaction(inclusion);
    await this.#insertAnchor({
      id: this.#nextAnchor,
      first_sequence: checkpoint,
      hash,
      size: 0,
      transaction_id: transactionId,
      checkpoint,
      opened_at: Date.now(),
    });
    const { transactionHash, block, contract } = inclusion;
    const mined = { hash: transactionHash, block, anchored: { hash, size: 0, contract } };
    await confirmAnchors(this.#database, this.#key, new Map([[transactionId, mined]]));
  }

  /** Continues the numbering of new rows after the written ones; SQLite does so by itself. */
  async finish(): Promise<void> {
    if (!isPostgres(this.#database)) return;
    await sql`
      select setval(pg_get_serial_sequence('anchors', 'id'), coalesce(max(id), 0) + 1, false) from anchors
    `.execute(this.#database);
  }

  async #addAnchors(entries: readonly JournalEntry[]): Promise<void> {
    for (const entry of entries) {
      if (entry.kind === "proof") await this.#addProof(entry);
      if (entry.kind === "confirmation") await this.#addConfirmation(entry);
    }
  }

  async #addProof({ sequence, anchor }: ProofEntry): Promise<void> {
    // A later proof under an anchor that is confirmed shares one of its leaves.
    if (this.#open.has(anchor) || (await this.#isConfirmed(anchor))) return;
    this.#nextAnchor = Math.max(this.#nextAnchor, anchor + 1);
    this.#open.set(anchor, sequence);
  }

  async #addConfirmation(entry: ConfirmationEntry): Promise<void> {
    this.#block = Math.max(this.#block, entry.block_number);
    this.#nextAnchor = Math.max(this.#nextAnchor, entry.anchor + 1);
    if (entry.checkpoint !== null) this.#dropUnanchored(entry.checkpoint);
    const first = this.#open.get(entry.anchor);
    if (entry.checkpoint === null && first === undefined && !(await this.#isConfirmed(entry.anchor))) {
      const text = `entry ${entry.sequence} confirms anchor ${entry.anchor}, under which there are no proofs`;
      throw new SealbookError("malformed", text);
    }
    this.#open.delete(entry.anchor);
    const { anchor: id, hash, size, checkpoint, block_time: time } = entry;
    const block = { number: entry.block_number, hash: entry.block_hash, time, validator: entry.validator };
    const inclusion = { contract: entry.contract, transactionHash: entry.tx_hash, block };
    const content = { hash, size, checkpoint, transaction_id: await this.#addTransaction(inclusion) };
    const confirmed = { ...content, confirmation: entry.sequence };
    // No other anchor has the content of a confirmed one.
    await this.#database.deleteFrom("anchors").where("hash", "=", hash).where("id", "!=", id).execute();
    const known = await this.#firstOf(id);
    const anchor = { id, first_sequence: first ?? checkpoint ?? known ?? entry.sequence, ...confirmed };
    if (known === undefined) return this.#insertAnchor({ ...anchor, opened_at: time * 1000 });
    const changes = { ...anchor, code: codeOfAnchor(this.#key, anchor) };
    await this.#database.updateTable("anchors").set(changes).where("id", "=", id).execute();
  }

  async #insertAnchor(anchor: Insertable<AnchorsTable> & ClosedAnchor): Promise<void> {
    this.#nextAnchor = Math.max(this.#nextAnchor, anchor.id + 1);
    const code = codeOfAnchor(this.#key, anchor);
    await this.#database
      .insertInto("anchors")
      .values({ ...anchor, code })
      .execute();
  }

  async #firstOf(id: number): Promise<number | undefined> {
    const found = this.#database.selectFrom("anchors").select("first_sequence").where("id", "=", id);
    return (await found.executeTakeFirst())?.first_sequence;
  }

  async #isConfirmed(id: number): Promise<boolean> {
    const anchor = await this.#database
      .selectFrom("anchors")
      .select("confirmation")
      .where("id", "=", id)
      .executeTakeFirst();
    return anchor !== undefined && anchor.confirmation !== null;
  }

  async #hasContent(hash: Uint8Array): Promise<boolean> {
    const anchor = await this.#database.selectFrom("anchors").select("id").where("hash", "=", hash).executeTakeFirst();
    return anchor !== undefined;
  }

  /** Drops an entry and those before it: the next checkpoint is over a later entry. */
  #dropUnanchored(checkpoint: number): void {
    for (const [digest, sequence] of this.#unanchored) {
      if (sequence > checkpoint) break;
      this.#unanchored.delete(digest);
    }
  }

  /** Writes the transaction of a confirmed anchor; returns its id. */
  async #addTransaction({ contract, transactionHash, block }: BlockInclusion): Promise<number> {
    const mined = {
      state: "confirmed",
      block_number: block.number,
      block_hash: block.hash,
      block_time: block.time,
      validator: block.validator,
    } as const;
    const known =
      (await this.#database
        .selectFrom("transactions")
        .select(["id", "raw"])
        .where("hash", "=", transactionHash)
        .executeTakeFirst()) ??
      // The version that was mined of a replaced transaction.
      (await this.#database
        .selectFrom("transaction_versions")
        .select(["transaction_id as id", "raw"])
        .where("hash", "=", transactionHash)
        .executeTakeFirst());
    if (known !== undefined) {
      const { id, raw } = known;
      const version = { ...mined, hash: transactionHash, raw };
      await this.#database.updateTable("transactions").set(version).where("id", "=", id).execute();
      return id;
    }
    const at = block.time * 1000;
    return this.#insertTransaction({ ...mined, to_address: contract, hash: transactionHash, outcome_at: at });
  }

  async #insertTransaction(
    transaction: Omit<Insertable<TransactionsTable>, "purpose" | "created_at">,
  ): Promise<number> {
    const { id } = await this.#database
      .insertInto("transactions")
      .values({ purpose: "anchor", created_at: transaction.outcome_at ?? Date.now(), ...transaction })
      .returning("id")
      .executeTakeFirstOrThrow();
    const { to_address, data = null } = transaction;
    const code = codeOfCall(this.#key, { id, purpose: "anchor", to_address, data });
    await this.#database.updateTable("transactions").set({ code }).where("id", "=", id).execute();
    return id;
  }
}

/** @throws SealbookError `malformed` for an entry whose fields do not give its text again, and so its digest */
function entriesOf(row: JournalRow): JournalEntry[] {
  return row.lines().map(({ sequence, text }) => {
    const entry = entryOf(sequence, text);
    if (encodeEntry(entry) === text) return entry;
    throw new SealbookError("malformed", `entry ${sequence} is not in its canonical form`);
  });
}

function keyOfDigest(digest: Uint8Array): string {
  return Buffer.from(digest).toString("base64");
}
