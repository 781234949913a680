import type { Clock } from "../kit/time.ts";
import type { Atomic } from "../journal/engine/database.ts";
import {
  parseSearchPattern,
  type RecordQuery,
  type RecordRow,
  type RecordStores,
  type ScanStep,
  type SearchField,
} from "./record.ts";
import type { ForeignWriteEvents } from "./foreign-writes.ts";
import type { Transactions } from "../chain/transactions/types.ts";
import type { RecordIndex } from "./record-index.ts";
import { afterCommit } from "../journal/after-commit.ts";
import { relayerRefused } from "../chain/contracts/roles.ts";
import { SealbookError } from "../errors.ts";
import type { Authorized } from "../sessions/index.ts";
import type { StoredRowData } from "./compression.ts";
import { encodeRowData, eventName } from "./row-data.ts";
import type { JsonObject } from "../kit/json.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import type { Address, ContractCall } from "../chain/transaction.ts";

/** Events of records for logs, metrics and alerts. Handlers never throw. */
export interface RecordEvents extends ForeignWriteEvents {
  recordStored(account: Address, rowId: bigint): void;
}

export interface RecordServiceDeps<Stores extends RecordStores> {
  readonly journal: Atomic<Stores>;
  readonly transactions: Transactions;
  /** Signs a row for its place with the account's key, and encodes the call that stores it. */
  readonly insertCall: (rowId: bigint, stored: StoredRowData, signingKey: Uint8Array) => ContractCall;
  /** Name of the table that stores the records. */
  readonly table: string;
  readonly recordIndex: RecordIndex;
  readonly scan: RecordScan;
  /** Compresses the row data of an account. */
  readonly pack: (account: Address, text: string) => Promise<StoredRowData>;
  /** @throws SealbookError `not_leader`, `storage_full` */
  readonly assertWritable: () => void;
  readonly telemetry: Pick<RecordEvents, "recordStored">;
  readonly clock: Clock;
  readonly chainWaitMilliseconds: number;
}

/** A record to store. */
export interface NewRecord {
  readonly code: string;
  readonly topic: string;
  /** Signed as `JSON.stringify` writes it, which can have numbers in the digits of a client. */
  readonly payload: JsonObject;
}

/** The account that signs a record, with its key. */
export type Signer = Pick<Authorized, "account" | "signingKey">;

/** A record with an assigned row id and an inserted transaction. */
export interface RecordIntent {
  readonly rowId: bigint;
  readonly transactionId: number;
}

/** Options for callers that resume after a restart without storing a record twice. */
export interface StoreOptions<Stores extends RecordStores> {
  /** The intent of an earlier attempt, which this call continues. */
  readonly resume?: RecordIntent | undefined;
  /** Stores the intent in the same commit that creates it. */
  readonly onIntent?: (journal: Atomic<Stores>, intent: RecordIntent) => Promise<void>;
}

/** A confirmed record. */
export interface StoredRecord {
  readonly rowId: bigint;
  readonly event: string;
  readonly transactionHash: Uint8Array;
}

/** A client's search. */
export interface Search {
  readonly field: SearchField;
  readonly phrase: string;
  readonly limit: number;
  /** `next` of the previous page. */
  readonly before?: number;
}

/** A page of found records, and the position at which the next one begins if there may be more. */
export interface FoundPage {
  readonly rows: RecordRow[];
  readonly next: number | undefined;
}

/** Takes a step of a search with wildcards for a caller; the steps of several callers are scheduled round-robin. */
export type RecordScan = (caller: string, query: RecordQuery) => Promise<TimedStep>;

/** A step and the time that it took. */
export interface TimedStep extends ScanStep {
  readonly milliseconds: number;
}

/** Maximum payload characters per page, regardless of the limit. */
const MAX_PAGE_SIZE = 8 * 1024 * 1024;
const ROWS_PER_QUERY = 100;
/** Budget of a search: the time of its own steps. */
const SEARCH_SECONDS = 5;

/** Size of a payload from which a record counts as large. */
const LARGE_CHARACTERS = 4 * 1024;
/** Large records that are stored at a time: they take much of the capacity of a block. */
const LARGE_AT_ONCE = 16;
const LARGE_PER_ACCOUNT = 2;
/** Maximum row ids tried for a record. */
const MAX_ATTEMPTS = 5;

/**
 * Stores and finds records.
 * @typeParam Stores Journal stores that a caller can write in the same commit as a record's intent
 */
export class RecordService<Stores extends RecordStores = RecordStores> {
  readonly #deps: RecordServiceDeps<Stores>;
  readonly #large = new KeyedQueue<Address>(LARGE_AT_ONCE, LARGE_PER_ACCOUNT);

  constructor(deps: RecordServiceDeps<Stores>) {
    this.#deps = deps;
  }

  /**
   * Signs a record with the account's key and stores it; the relayer pays. Returns when the chain has confirmed the
   * record and the index includes it, or after the timeout if the index lags.
   * @throws SealbookError `scope_refused`; `not_leader`; `storage_full`; `chain_unavailable`, whose message states
   * whether the record will still be stored
   */
  async store(signer: Signer, record: NewRecord, options: StoreOptions<Stores> = {}): Promise<StoredRecord> {
    const { account } = signer;
    if (account.scope !== "full") throw new SealbookError("scope_refused", "this account may only read");
    this.#deps.assertWritable();
    const isLarge = JSON.stringify(record.payload).length >= LARGE_CHARACTERS;
    // The large records of an account wait for each other; no others wait for them.
    if (isLarge) return this.#large.run(account.address, () => this.#store(signer, record, options));
    return this.#store(signer, record, options);
  }

  async #store(
    signer: Signer,
    record: NewRecord,
    { resume: begun, onIntent: note }: StoreOptions<Stores>,
  ): Promise<StoredRecord> {
    const { transactions, recordIndex: copy, telemetry, chainWaitMilliseconds } = this.#deps;
    const { account } = signer;
    let earlier = begun;
    // Then an earlier call has seen its confirmation, and its response got lost.
    const isKnown = begun && (await transactions.outcome(begun.transactionId, 0)).state === "confirmed";
    for (let attempt = 1; ; attempt += 1) {
      const { rowId, transactionId } = earlier ?? (await this.#begin(signer, record, note));
      transactions.wake();

      const outcome = await afterCommit(transactions.outcome(transactionId, chainWaitMilliseconds));
      switch (outcome.state) {
        case "confirmed":
          await copy.waitForBlock(outcome.block.number, chainWaitMilliseconds);
          if (isKnown !== true) telemetry.recordStored(account.address, rowId);
          return { rowId, event: eventName(record.topic), transactionHash: outcome.hash };
        case "reverted":
          if (outcome.reason.startsWith("RowExists")) {
            if (attempt === MAX_ATTEMPTS) throw notStored("other writers took its row ids first");
            // The chain has rows that the index does not have yet. Once it has them, their ids are skipped.
            if (outcome.block !== undefined) await copy.waitForBlock(outcome.block.number, chainWaitMilliseconds);
            earlier = undefined;
            continue;
          }
          throw refused(outcome.reason);
        case "refused":
          throw refused(outcome.reason);
        case "cancelled":
          if (earlier === undefined) throw notStored();
          // The earlier attempt was cancelled; starts a new one.
          earlier = undefined;
          continue;
        case "pending":
          if (!outcome.sent && (await afterCommit(transactions.cancel(transactionId)))) throw notStored();
          throw new SealbookError(
            "chain_unavailable",
            `the chain has not confirmed record ${rowId} yet, but it will be stored: ` +
              "send it again only with its Idempotency-Key",
            { details: [{ path: "chainid", message: rowId.toString() }] },
          );
      }
    }
  }

  /** Assigns a row id, of which a crash leaves no more than a gap, and records the intent to store the record. */
  async #begin(
    { account, signingKey }: Signer,
    record: NewRecord,
    note: StoreOptions<Stores>["onIntent"],
  ): Promise<RecordIntent> {
    const { journal, insertCall, table, pack, clock } = this.#deps;
    const rowId = await journal.atomically(({ records }) => records.nextRowId(table));
    const text = encodeRowData({ rowId, sender: account.address, createdAt: new Date(clock()), ...record });
    const call = insertCall(rowId, await pack(account.address, text), signingKey);
    return journal.atomically(async (atomic) => {
      const intent = { rowId, transactionId: await atomic.intents.insert(call) };
      await note?.(atomic, intent);
      return intent;
    });
  }

  /**
   * Searches the records of all senders, newest first. Returns fewer rows than the limit when their payloads are large,
   * or when the search exceeds its budget of time.
   * @param caller The account that searches
   * @throws SealbookError `too_expensive` for a search that finds nothing within its budget
   */
  async search(caller: string, { field, phrase, limit, before }: Search): Promise<FoundPage> {
    const { records } = this.#deps.journal;
    const pattern = parseSearchPattern(phrase);
    const rows: RecordRow[] = [];
    let size = 0;
    let milliseconds = 0;
    for (let position = before; ;) {
      const isFull = rows.length === limit || size >= MAX_PAGE_SIZE;
      // One row more shows whether there is a next page.
      const wanted = isFull ? 1 : Math.min(limit - rows.length, ROWS_PER_QUERY);
      const step = await this.#step(caller, { field, pattern, limit: wanted, before: position });
      if (isFull && step.positions.length > 0) return { rows, next: rows.at(-1)?.position };
      const found = await records.rows(step.positions);
      rows.push(...found);
      size = found.reduce((sum, { payload }) => sum + payload.length, size);
      position = step.next;
      if (position === undefined) return { rows, next: undefined };
      milliseconds += step.milliseconds;
      if (milliseconds < 1_000 * SEARCH_SECONDS) continue;
      if (rows.length > 0) return { rows, next: position };
      throw new SealbookError(
        "too_expensive",
        `the search found nothing within its budget of ${SEARCH_SECONDS} s; begin the value with characters instead ` +
          `of *, which uses an index, or continue among older records with the cursor "${position}"`,
      );
    }
  }

  async #step(caller: string, { pattern, ...query }: RecordQuery): Promise<TimedStep> {
    const [text, ...others] = pattern;
    if (others.length > 0) return this.#deps.scan(caller, { pattern, ...query });
    return { ...(await this.#deps.journal.records.equalTo({ text, ...query })), milliseconds: 0 };
  }
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
