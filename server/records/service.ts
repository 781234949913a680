import { SealbookError } from "../errors.ts";
import type { Address } from "../chain/transaction.ts";
import { callerKeyOf } from "../journal/keyed-calls.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import type { ForeignWriteEvents } from "./foreign-writes.ts";
import {
  parseSearchPattern,
  type RecordQuery,
  type RecordReader,
  type RecordRow,
  type ScanStep,
  type SearchField,
} from "./record.ts";
import { type NewRecord, type RecordWriter, requestDigest, type Signer, type StoredRecord } from "./record-writer.ts";

/** Events of records for logs, metrics and alerts. Handlers never throw. */
export interface RecordEvents extends ForeignWriteEvents {
  recordStored(account: Address, rowId: bigint): void;
}

export interface RecordServiceDeps {
  readonly records: Pick<RecordReader, "rows" | "equalTo">;
  readonly writer: Pick<RecordWriter, "store">;
  readonly scan: RecordScan;
  /** @throws SealbookError `not_leader`, `storage_full` */
  readonly assertWritable: () => void;
}

/** An idempotency key, and the caller whose key it is. */
export interface CallKey {
  readonly caller: string;
  readonly text: string;
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

/** Stores and finds records. */
export class RecordService {
  readonly #deps: RecordServiceDeps;
  readonly #large = new KeyedQueue<Address>(LARGE_AT_ONCE, LARGE_PER_ACCOUNT);

  constructor(deps: RecordServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Signs a record with the account's key and stores it; the relayer pays. Returns when the index has the record. With
   * an idempotency key it is stored only once, however often and wherever the call is made: a repeated call continues
   * what the first one began, and has the same response.
   * @param key The idempotency key, and the caller whose key it is
   * @throws SealbookError `scope_refused`; `key_reused`; `not_leader`; `storage_full`; `journal_damaged`;
   * `chain_unavailable`, whose message states whether the record will still be stored
   */
  async store(signer: Signer, record: NewRecord, key?: CallKey): Promise<StoredRecord> {
    const { account } = signer;
    if (account.scope !== "full") throw new SealbookError("scope_refused", "this account may only read");
    this.#deps.assertWritable();
    const request = requestDigest(record);
    const call = { signer, record, request, key: key && callerKeyOf(key.caller, key.text) };
    const isLarge = JSON.stringify(record.payload).length >= LARGE_CHARACTERS;
    // The large records of an account wait for each other; no others wait for them.
    if (isLarge) return this.#large.run(account.address, () => this.#deps.writer.store(call));
    return this.#deps.writer.store(call);
  }

  /**
   * Searches the records of all senders, newest first. Returns fewer rows than the limit when their payloads are large,
   * or when the search exceeds its budget of time.
   * @param caller The account that searches
   * @throws SealbookError `too_expensive` for a search that finds nothing within its budget; `journal_damaged`
   */
  async search(caller: string, { field, phrase, limit, before }: Search): Promise<FoundPage> {
    const { records } = this.#deps;
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
    return { ...(await this.#deps.records.equalTo({ text, ...query })), milliseconds: 0 };
  }
}
