import { SealbookError } from "../errors.ts";
import type { NodeLog } from "../chain/node/log.ts";
import type { NodeTransaction } from "../chain/node/node-block.ts";
import type { ContractAddresses } from "../chain/transaction.ts";
import { workerModule } from "../kit/program-files.ts";
import type { Caller, Tasks, WorkerPool } from "../kit/workers/worker-pool.ts";
import type { DecodedTransaction } from "./chain/call-decoder.ts";
import type { DecodedLog } from "./responses.ts";
import type * as worker from "./chain/decode-worker.ts";

/** Maximum of a call, or of the data of a log, that is decoded: a record of this service has at most 130 KiB. */
const MAX_DECODED_BYTES = 256 * 1024;
const DEADLINE_MILLISECONDS = 30_000;
const MAX_WAITING = 100;
const MAX_WAITING_PER_SOURCE = 20;

/** A decoded transaction, or the reason that it was not decoded. */
export type ThreadedTransaction = DecodedTransaction & { readonly undecoded?: string };

/** Decodes calls and events in a thread, whose budgets their size cannot exceed. */
export class ChainDecoder {
  readonly #tasks: Tasks<typeof worker>;

  constructor(pool: WorkerPool, chainId: number, contracts: ContractAddresses) {
    this.#tasks = pool.tasks({
      module: workerModule("server/explorer/chain/decode-worker"),
      data: { contracts, chainId } satisfies worker.WorkerData,
      jobs: "decoded transactions",
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      maxWaiting: MAX_WAITING,
      maxWaitingPerCaller: MAX_WAITING_PER_SOURCE,
    });
  }

  /** @throws SealbookError `too_many_requests`, `overloaded` */
  transaction(source: string, { to, input }: Pick<NodeTransaction, "to" | "input">): Promise<ThreadedTransaction> {
    return withinBudget<ThreadedTransaction>(
      "call",
      input,
      () => this.#tasks.run("transaction", { to, input }, callerOf(source)),
      (undecoded) => ({ action: { kind: "other" }, call: undefined, undecoded }),
    );
  }

  /**
   * Decodes logs one by one, so that the logs of others come in between.
   * @throws SealbookError `too_many_requests`, `overloaded`
   */
  async logs(source: string, logs: readonly NodeLog[]): Promise<DecodedLog[]> {
    const decoded: DecodedLog[] = [];
    for (const log of logs) {
      const { address, topics, data, logIndex } = log;
      decoded.push(
        await withinBudget(
          "log",
          data,
          () => this.#tasks.run("log", log, callerOf(source)),
          () => ({ index: logIndex, address, topics, data, event: undefined }),
        ),
      );
    }
    return decoded;
  }
}

function callerOf(source: string): Caller {
  return { group: "sources", id: source };
}

/** Decodes hex, or returns its replacement with the exceeded budget. */
async function withinBudget<T>(
  what: string,
  hex: string,
  decode: () => Promise<T>,
  otherwise: (reason: string) => T,
): Promise<T> {
  const bytes = Math.ceil(hex.length / 2) - 1;
  if (bytes > MAX_DECODED_BYTES) {
    return otherwise(`the ${what} has ${bytes} bytes, and the explorer decodes at most ${MAX_DECODED_BYTES}`);
  }
  try {
    return await decode();
  } catch (error) {
    if (error instanceof SealbookError && error.code === "too_expensive") return otherwise(error.message);
    throw error;
  }
}
