import type { Clock } from "../kit/clock.ts";
import type { Atomic } from "../journal/engine/atomic.ts";
import type { RecordStores } from "./stores.ts";
import type { RecordChain } from "./contract.ts";
import type { RecordEvents } from "./events.ts";
import type { Transactions } from "../chain/transactions/transactions.ts";
import type { RecordIndex } from "./record-index.ts";
import { SealbookError } from "../errors.ts";
import type { Authorized } from "../sessions/index.ts";
import { type Bzip2, packRowData } from "./compression.ts";
import { eventName } from "./event-name.ts";
import type { JsonObject } from "../kit/json.ts";
import type { RecordRow, SearchField } from "./record.ts";
import { encodeRowData } from "./row-data.ts";
import { parseSearchPattern } from "./search-pattern.ts";

/** What the service needs. */
export interface RecordServiceDeps<Stores extends RecordStores> {
  readonly journal: Atomic<Stores>;
  readonly transactions: Transactions;
  readonly chain: RecordChain;
  readonly copy: RecordIndex;
  readonly bzip2: Bzip2;
  readonly telemetry: RecordEvents;
  readonly clock: Clock;
  readonly chainWaitMilliseconds: number;
}

/** A record to be stored. */
export interface NewRecord {
  readonly code: string;
  readonly topic: string;
  readonly payload: JsonObject;
}

/** Who signs a record. */
export type Signer = Pick<Authorized, "account" | "signingKey">;

/** A record on its way to the chain. */
export interface RecordIntent {
  readonly rowId: bigint;
  readonly transactionId: number;
}

/** For callers that a restart must not make store a record twice. */
export interface StoreOptions<Stores extends RecordStores> {
  /** What was written down of an earlier attempt: it is gone on with instead of beginning another. */
  readonly begun?: RecordIntent | undefined;
  /** Writes an intent down in the same step in which it comes to be. */
  readonly note?: (journal: Atomic<Stores>, intent: RecordIntent) => Promise<void>;
}

/** A record that the chain has. */
export interface StoredRecord {
  readonly rowId: bigint;
  readonly event: string;
  readonly transactionHash: Uint8Array;
}

/** A search as a client asks for it. */
export interface Search {
  readonly field: SearchField;
  readonly phrase: string;
  readonly limit: number;
  /** Position of the last row of the page before. */
  readonly before?: number;
}

/** Characters of payload after which a page is full, whatever its limit. */
const MAX_PAGE_SIZE = 8 * 1024 * 1024;
const ROWS_AT_ONCE = 200;

/** How often a record is given another row id before the chain's refusal is passed on. */
const MAX_ATTEMPTS = 3;

/**
 * Stores and finds records.
 * @typeParam Stores Stores of the journal that a caller can write to in the same commit as a record's intent
 */
export class RecordService<Stores extends RecordStores = RecordStores> {
  readonly #deps: RecordServiceDeps<Stores>;

  constructor(deps: RecordServiceDeps<Stores>) {
    this.#deps = deps;
  }

  /**
   * Stores a record: signed with the account's key, paid by the relayer. Returns when the chain has it and a search
   * finds it, or after the wait when the local copy lags behind the chain.
   * @throws SealbookError `scope_refused`; `chain_unavailable`, whose message says whether the record will still be stored
   */
  async store(signer: Signer, record: NewRecord, { begun, note }: StoreOptions<Stores> = {}): Promise<StoredRecord> {
    const { transactions, copy, telemetry, chainWaitMilliseconds } = this.#deps;
    const { account } = signer;
    if (account.scope !== "full") throw new SealbookError("scope_refused", "this account may read only");
    let earlier = begun;
    for (let attempt = 1; ; attempt += 1) {
      const { rowId, transactionId } = earlier ?? (await this.#begin(signer, record, note));
      transactions.wake();

      const outcome = await transactions.outcome(transactionId, chainWaitMilliseconds);
      switch (outcome.state) {
        case "confirmed":
          await copy.reached(outcome.block.number, chainWaitMilliseconds);
          telemetry.recordStored(account.address, rowId);
          return { rowId, event: eventName(record.topic), transactionHash: outcome.hash };
        case "reverted":
          if (outcome.reason.startsWith("RowExists") && outcome.block !== undefined && attempt < MAX_ATTEMPTS) {
            // The chain has rows that this journal has not counted yet; once the copy has them, the counter has too.
            await copy.reached(outcome.block.number, chainWaitMilliseconds);
            earlier = undefined;
            continue;
          }
          throw refused(outcome.reason);
        case "refused":
          throw refused(outcome.reason);
        case "cancelled":
          if (earlier === undefined) throw notStored();
          // Whoever began it did not wait for it to the end.
          earlier = undefined;
          continue;
        case "pending":
          if (!outcome.sent && (await transactions.cancel(transactionId))) throw notStored();
          throw new SealbookError(
            "chain_unavailable",
            `the chain has not confirmed record ${rowId} yet; it will be stored: do not send it again`,
            { details: [{ path: "chainid", message: rowId.toString() }] },
          );
      }
    }
  }

  /** Gives a record its row id and writes down that it has to go to the chain. */
  #begin(
    { account, signingKey }: Signer,
    record: NewRecord,
    note: StoreOptions<Stores>["note"],
  ): Promise<RecordIntent> {
    const { journal, chain, bzip2, clock } = this.#deps;
    return journal.atomically(async (atomic) => {
      const rowId = await atomic.records.nextRowId(chain.table);
      const text = encodeRowData({ rowId, sender: account.address, createdAt: new Date(clock()), ...record });
      const call = chain.insertCall(rowId, packRowData(text, bzip2), signingKey);
      const intent = { rowId, transactionId: await atomic.intents.insert(call) };
      await note?.(atomic, intent);
      return intent;
    });
  }

  /**
   * Finds records of every sender, newest first: as many as the limit, or fewer when their payloads are large.
   * @returns the rows, and where the next page begins when there are more
   */
  async search({ field, phrase, limit, before }: Search): Promise<{ rows: RecordRow[]; next: number | undefined }> {
    const pattern = parseSearchPattern(phrase);
    const rows: RecordRow[] = [];
    let size = 0;
    let position = before;
    while (rows.length < limit && size < MAX_PAGE_SIZE) {
      const wanted = Math.min(limit - rows.length, ROWS_AT_ONCE);
      const found = await this.#deps.journal.records.search({
        field,
        pattern,
        // One row more than wanted says that there are more.
        limit: wanted + 1,
        ...(position === undefined ? {} : { before: position }),
      });
      for (const row of found.slice(0, wanted)) {
        rows.push(row);
        size += row.payload.length;
      }
      if (found.length <= wanted) return { rows, next: undefined };
      position = rows.at(-1)?.position;
    }
    return { rows, next: position };
  }
}

function refused(reason: string): SealbookError {
  const code = reason.startsWith("SignerNotEnrolled") ? "scope_refused" : "chain_reverted";
  return new SealbookError(code, `the chain refused the record: ${reason}`);
}

function notStored(): SealbookError {
  return new SealbookError("chain_unavailable", "the chain is not reachable; the record was not stored", {
    retryAfterSeconds: 5,
  });
}
