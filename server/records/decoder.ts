import { KeyedQueue } from "../kit/keyed-queue.ts";
import { workerModule } from "../kit/program-files.ts";
import type { Caller, Tasks, WorkerPool } from "../kit/workers/worker-pool.ts";
import { bzip2 } from "./bzip2.ts";
import { packRowData, type StoredRowData } from "./compression.ts";
import { withWrittenNumbers } from "./payload-text.ts";
import { type RowText, rowText } from "./row-text.ts";
import type { TableContract } from "./row-signature.ts";
import type * as worker from "./decode-worker.ts";
import type { Decoded, RowFunction } from "./call-data.ts";

/** Rows up to this size take up to a millisecond, hardly more than the way to the thread and back. */
const SMALL_ROW_BYTES = 4 * 1024;
/** The worst data within the other budgets take about 30 ms; on busy processors the thread yields to others. */
const DEADLINE_MILLISECONDS = 30_000;
const MAX_WAITING = 100;
const MAX_WAITING_PER_CALLER = 20;

/**
 * Compresses large rows and decodes data of others, which can expand and nest, in a thread. Besides the budgets of the
 * thread, a row has at most 128 KiB and 128 levels, and a decoded transaction 512 KiB.
 */
export class Decoder {
  readonly #tasks: Tasks<typeof worker>;

  /** Rows to compress: accounts are queued, not refused. */
  readonly #packing = new KeyedQueue<string>(1);

  /** @param contracts The event tables whose rows are decoded */
  constructor(pool: WorkerPool, contracts: readonly TableContract[]) {
    this.#tasks = pool.tasks({
      module: workerModule("server/records/decode-worker"),
      data: { contracts } satisfies worker.WorkerData,
      jobs: "decoded transactions",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      maxWaiting: MAX_WAITING,
      maxWaitingPerCaller: MAX_WAITING_PER_CALLER,
    });
  }

  /** Transactions that are being decoded, or wait for it. */
  get size(): number {
    return this.#tasks.size;
  }

  /**
   * Decodes call data of `set` or `insert`. `JSON.stringify` writes the numbers of the payload as in the row.
   * @param inputdata `0x`-prefixed hex, with the selector
   * @param expected The required function; any row function if omitted
   * @throws SealbookError `malformed` with the position as path; `too_expensive`, `too_many_requests`, `overloaded`
   */
  async decode(caller: Caller, inputdata: string, expected?: RowFunction): Promise<Decoded> {
    // Here, because threads exchange values and not their text.
    return withWrittenNumbers(await this.#tasks.run("decode", { inputdata, expected }, caller));
  }

  /**
   * Decompresses one complete bzip2 stream.
   * @throws SealbookError as {@link decode}
   */
  decompress(caller: Caller, data: Uint8Array): Promise<Uint8Array> {
    return this.#tasks.run("decompress", data, caller);
  }

  /**
   * Compresses row data if that makes them smaller.
   * @param account The account that stores them
   * @throws SealbookError as {@link packRowData}
   */
  async pack(account: string, text: string): Promise<StoredRowData> {
    if (text.length <= SMALL_ROW_BYTES) return packRowData(text, bzip2);
    const caller = { group: "stores", id: account };
    return this.#packing.run(account, () => this.#tasks.run("pack", text, caller));
  }

  /**
   * Decodes a row of the chain.
   * @throws SealbookError `malformed` for a row that cannot be decoded
   */
  async row(stored: StoredRowData): Promise<RowText> {
    if (stored.rowdata.length <= SMALL_ROW_BYTES) return rowText(stored);
    return this.#tasks.run("row", stored);
  }
}
