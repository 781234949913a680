import type { Atomic } from "../journal/engine/database.ts";
import type { RecordStores, RecordRow } from "./record.ts";
import type { Address, ContractCall, TransactionOutcome } from "../chain/transaction.ts";
import type { EventTableClient, EventTableRow } from "../chain/contracts/event-table-client.ts";
import { relayerRefused } from "../chain/contracts/roles.ts";
import type { Transactions } from "../chain/transactions/types.ts";
import { SealbookError } from "../errors.ts";
import { afterCommit } from "../journal/after-commit.ts";
import { digestOf } from "../journal/keyed-calls.ts";
import { equalBytes, hex } from "../kit/bytes.ts";
import type { JsonObject } from "../kit/json.ts";
import type { Clock } from "../kit/time.ts";
import type { Authorized } from "../sessions/index.ts";
import type { StoredRowData } from "./compression.ts";
import type { RecordIndex } from "./record-index.ts";
import { encodeRowData, eventName } from "./row-data.ts";
import { writtenPayload } from "./payload-text.ts";
import type { RowIds } from "./row-ids.ts";
import { type BegunStore, CallOvertaken } from "./store-entries.ts";

/** A record to store. */
export interface NewRecord {
  readonly code: string;
  readonly topic: string;
  /** Signed as `JSON.stringify` writes it, which can have numbers in the digits of a client. */
  readonly payload: JsonObject;
}

/** The account that signs a record, with its key. */
export type Signer = Pick<Authorized, "account" | "signingKey">;

/** A confirmed record. */
export interface StoredRecord {
  readonly rowId: bigint;
  readonly event: string;
  readonly transactionHash: Uint8Array;
}

export interface RecordWriterDeps {
  readonly journal: Atomic<RecordStores>;
  readonly transactions: Transactions;
  /** Signs a row for its place with the account's key, and encodes the call that stores it. */
  readonly insertCall: (rowId: bigint, stored: StoredRowData, signingKey: Uint8Array) => ContractCall;
  /** Compares a row with the one that the contract has under its number. */
  readonly rowState: (rowId: bigint, row: EventTableRow) => ReturnType<EventTableClient["stateOf"]>;
  readonly rowIds: RowIds;
  readonly recordIndex: RecordIndex;
  /** Compresses the row data of an account. */
  readonly pack: (account: Address, text: string) => Promise<StoredRowData>;
  readonly clock: Clock;
  readonly chainWaitMilliseconds: number;
}

/** A call that stores a record. */
interface StoreCall {
  readonly signer: Signer;
  readonly record: NewRecord;
  /** Of the record: see {@link requestDigest}. */
  readonly request: Uint8Array;
  /** SHA-256 of the caller and its idempotency key; `undefined` without one. */
  readonly key: Uint8Array | undefined;
}

/** Where and when a record stands: the same place gives the same row. */
type Place = Pick<BegunStore, "rowId" | "acceptedAt">;

/** A record whose transaction is in the database. */
type SentStore = BegunStore & { readonly transactionId: number; readonly row: StoredRowData };

/** Maximum row ids tried for a record. */
const MAX_ATTEMPTS = 5;
/** Calls with idempotency keys that the writer remembers by itself. */
const MOST_RECENT = 100_000;

/** Stores records: an entry of the journal begins each, and the row in the index ends it. */
export class RecordWriter {
  readonly #deps: RecordWriterDeps;
  /** The newest entries of this process by their idempotency keys: who changes the tables cannot take them away. */
  readonly #recent = new Map<string, number>();

  constructor(deps: RecordWriterDeps) {
    this.#deps = deps;
  }

  /** Stores a record; see `RecordService.store`. */
  async store(call: StoreCall): Promise<StoredRecord> {
    for (;;) {
      try {
        return await this.#store(call);
      } catch (error) {
        if (!(error instanceof CallOvertaken)) throw error;
      }
    }
  }

  async #store(call: StoreCall): Promise<StoredRecord> {
    const { journal, transactions, rowIds, clock, chainWaitMilliseconds } = this.#deps;
    const { key, request } = call;
    const known = key && (await journal.stores.find(key, request, this.#recent.get(hex(key)), clock()));
    const repeated = known?.begun;
    const earlier = repeated && (await this.#indexed(call, repeated.rowId));
    if (earlier !== undefined) return storedAs(earlier);
    let sequence = known?.sequence ?? 0;
    let begun = repeated && (await this.#continue(call, repeated));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      begun ??= await this.#begin(call, { rowId: await rowIds.next(attempt), acceptedAt: clock() }, sequence);
      sequence = begun.sequence;
      transactions.wake();
      const outcome = await afterCommit(transactions.outcome(begun.transactionId, chainWaitMilliseconds));
      if (outcome.state !== "reverted" || !outcome.reason.startsWith("RowExists"))
        return this.#ended(call, begun, outcome);
      const own = await this.#existing(call, begun, outcome.block?.number);
      if (own !== undefined) return own;
      begun = undefined;
    }
    throw notStored("other writers took its row ids first");
  }

  /** Returns the record of a transaction that has ended, or was not mined in time. */
  async #ended(call: StoreCall, begun: SentStore, outcome: TransactionOutcome): Promise<StoredRecord> {
    const { transactions } = this.#deps;
    const { rowId, transactionId } = begun;
    switch (outcome.state) {
      case "confirmed":
        return this.#awaited(call, rowId, outcome.block.number);
      case "reverted":
      case "refused":
        throw refused(outcome.reason);
      case "cancelled":
        throw notStored();
      case "pending":
        if (!outcome.sent && (await afterCommit(transactions.cancel(transactionId)))) throw notStored();
        throw unconfirmed(rowId, "the chain has not confirmed it");
    }
  }

  /**
   * Looks at the row that is in the way of a record. The chain has the word: another row id is taken only when the row
   * is not the record itself, sent before.
   * @returns the record; `undefined` when the row is another one
   */
  async #existing(
    call: StoreCall,
    { rowId, row }: SentStore,
    block: number | undefined,
  ): Promise<StoredRecord | undefined> {
    const { rowState, recordIndex, chainWaitMilliseconds } = this.#deps;
    const state = await rowState(rowId, { ...row, signer: call.signer.account.address }).catch(() => undefined);
    if (state === undefined || state === "missing") throw unconfirmed(rowId, "the chain has not confirmed it");
    if (state === "current") return this.#awaited(call, rowId, block);
    // Once the index has the other row, its id is skipped.
    if (block !== undefined) await recordIndex.waitForBlock(block, chainWaitMilliseconds);
    return undefined;
  }

  /** Waits until the index has a record, which then has the word of the chain. */
  async #awaited(call: StoreCall, rowId: bigint, block: number | undefined): Promise<StoredRecord> {
    const { recordIndex, chainWaitMilliseconds } = this.#deps;
    if (block !== undefined) await recordIndex.waitForBlock(block, chainWaitMilliseconds);
    const row = await afterCommit(this.#indexed(call, rowId));
    if (row === undefined) throw unconfirmed(rowId, "the record index does not have it");
    return storedAs(row);
  }

  /**
   * Continues a call that was made before. Without its transaction, or when that one has no effect, the same row is
   * sent again: the contract stores it once.
   */
  async #continue(call: StoreCall, repeated: BegunStore): Promise<SentStore> {
    const { transactionId } = repeated;
    if (transactionId !== undefined) {
      const outcome = await this.#deps.transactions.outcome(transactionId, 0);
      const isOpen = outcome.state === "pending" || outcome.state === "confirmed";
      if (isOpen || (outcome.state === "reverted" && outcome.reason.startsWith("RowExists")))
        return { ...repeated, transactionId, row: await this.#rowOf(call, repeated) };
    }
    return this.#begin(call, repeated, repeated.sequence);
  }

  /** Records the intent to store a record. */
  async #begin(call: StoreCall, place: Place, known: number): Promise<SentStore> {
    const { journal, insertCall } = this.#deps;
    const { signer, request, key } = call;
    const row = await this.#rowOf(call, place);
    const store = { ...place, account: signer.account.address, request, key, known };
    const inserted = insertCall(place.rowId, row, signer.signingKey);
    const begun = await journal.atomically(({ stores }) => stores.begin(store, inserted));
    if (key !== undefined) this.#remember(hex(key), begun.sequence);
    return { ...begun, row };
  }

  #rowOf({ signer: { account }, record }: StoreCall, { rowId, acceptedAt }: Place): Promise<StoredRowData> {
    const row = { rowId, sender: account.address, createdAt: new Date(acceptedAt), ...record };
    return this.#deps.pack(account.address, encodeRowData(row));
  }

  #remember(key: string, sequence: number): void {
    this.#recent.delete(key);
    this.#recent.set(key, sequence);
    const [oldest = key] = this.#recent.keys();
    if (this.#recent.size > MOST_RECENT) this.#recent.delete(oldest);
  }

  /** Returns the row of a record that the index has under its row id. */
  async #indexed({ signer, request }: StoreCall, rowId: bigint): Promise<RecordRow | undefined> {
    const rows = await this.#deps.journal.records.withRowId(rowId);
    return rows.find(
      (row) => row.sender === signer.account.address && equalBytes(requestDigest(recordOf(row)), request),
    );
  }
}

/** Computes the digest of the request that stores a record. */
export function requestDigest({ code, topic, payload }: NewRecord): Uint8Array {
  return digestOf(["store", { code, topic, payload }]);
}

function recordOf({ code, topic, payload }: RecordRow): NewRecord {
  return { code, topic, payload: writtenPayload(payload) };
}

function storedAs({ rowId, topic, transactionHash }: RecordRow): StoredRecord {
  return { rowId, event: eventName(topic), transactionHash };
}

function refused(reason: string): SealbookError {
  if (reason.startsWith("AccessControlUnauthorizedAccount")) return relayerRefused();
  const code = reason.startsWith("SignerNotEnrolled") ? "scope_refused" : "chain_reverted";
  return new SealbookError(code, `the chain refused the record: ${reason}`);
}

function notStored(reason = "the chain is not reachable"): SealbookError {
  return new SealbookError("chain_unavailable", `${reason}; the record was not stored`, {
    retryAfterSeconds: 5,
  });
}

function unconfirmed(rowId: bigint, reason: string): SealbookError {
  return new SealbookError(
    "chain_unavailable",
    `record ${rowId}: ${reason} yet, but it will be stored: send it again only with its Idempotency-Key`,
    { details: [{ path: "chainid", message: rowId.toString() }] },
  );
}
