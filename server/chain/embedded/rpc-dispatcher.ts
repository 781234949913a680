import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { ChainSupervisor } from "./chain-supervisor.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { KeyedQueue } from "../../kit/keyed-queue.ts";
import { NodeError } from "../rpc/rpc.ts";
import { fixedResult, kindOf, limitQuery, type Params } from "./rpc-methods.ts";
import { type OutsideTransaction, checkRawTransaction, readRawTransaction } from "./raw-transaction.ts";

const Id = z.union([z.string(), z.number(), z.null()]);
const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
});
const AnyId = z.object({ id: Id });

const MOST_IN_A_BATCH = 1_000;
/** Pause after a call from outside, or after reading a transaction, in times of the time that it took. */
const PAUSE = 1;
/** Calls that take less time have no pause. */
const SHORT_MILLISECONDS = 5;

type Engine = Pick<ChainSupervisor, "send" | "accept" | "query">;

/** A JSON-RPC response object. */
export type RpcResponse = { jsonrpc: "2.0"; id: string | number | null } & (
  { result: unknown } | { error: { code: number; message: string; data?: unknown } }
);

/**
 * Responds to JSON-RPC requests. Those from outside are processed one at a time, one of each address in turn, so that
 * Anvil and this thread are left to this process.
 */
export class RpcDispatcher {
  readonly #engine: Engine;
  readonly #chainId: number;
  readonly #ownAccounts: ReadonlySet<string>;
  /** The requests from outside, by the address that they come from. */
  readonly #outside = new KeyedQueue<string>(1);

  /** @param ownAccounts Accounts whose transactions from outside are not limited */
  constructor(engine: Engine, chainId: number, ownAccounts: ReadonlySet<string> = new Set()) {
    this.#engine = engine;
    this.#chainId = chainId;
    this.#ownAccounts = ownAccounts;
  }

  /**
   * Responds to a request or a batch from outside; `undefined` for notifications only.
   * @param source The address that it comes from
   * @param gone Ends a batch: nobody waits for its response
   */
  async respond(body: unknown, source: string, gone?: AbortSignal): Promise<RpcResponse | RpcResponse[] | undefined> {
    if (!Array.isArray(body)) return this.#respondToOne(body, source);
    if (body.length === 0) return failure(null, -32600, "An empty batch.");
    if (body.length > MOST_IN_A_BATCH)
      return failure(null, -32600, `A batch may hold at most ${MOST_IN_A_BATCH} requests.`);
    const responses: RpcResponse[] = [];
    for (const request of body) {
      if (gone?.aborted === true) return undefined;
      const response = await this.#respondToOne(request, source);
      if (response !== undefined) responses.push(response);
    }
    return responses.length === 0 ? undefined : responses;
  }

  async #respondToOne(body: unknown, source: string): Promise<RpcResponse | undefined> {
    const request = Request.safeParse(body);
    if (!request.success) return failure(AnyId.safeParse(body).data?.id ?? null, -32600, "Not a JSON-RPC 2.0 request.");
    const { id, method, params = [] } = request.data;
    const response = await this.#callFromOutside(method, params, source).then(
      (result): RpcResponse => ({ jsonrpc: "2.0", id: id ?? null, result: result ?? null }),
      (error: unknown) => failureOf(id ?? null, error),
    );
    return id === undefined ? undefined : response;
  }

  /**
   * Makes one call of this process, without JSON-RPC around it. Its transactions are accepted without limits.
   * @throws NodeError with the `error` of the response
   */
  async request(method: string, params: Params): Promise<unknown> {
    try {
      const response = await this.#call(method, {
        send: () => this.#engine.send(checkRawTransaction(firstOf(params), this.#chainId).raw),
        read: () => this.#engine.query(method, params),
      });
      return response ?? null;
    } catch (error) {
      throw nodeError(error);
    }
  }

  #callFromOutside(method: string, params: Params, source: string): Promise<unknown> {
    const head = async (): Promise<bigint> => BigInt(String(await this.#engine.query("eth_blockNumber", [])));
    return this.#call(method, {
      send: () => this.#outside.run(source, () => this.#sendFromOutside(firstOf(params))),
      read: () =>
        this.#outside.run(source, async () => {
          const limited = await limitQuery(method, params, head);
          const start = performance.now();
          try {
            return await this.#engine.query(method, limited);
          } finally {
            const milliseconds = performance.now() - start;
            if (milliseconds > SHORT_MILLISECONDS) await sleep(PAUSE * milliseconds);
          }
        }),
    });
  }

  async #sendFromOutside(raw: unknown): Promise<unknown> {
    const start = performance.now();
    const pause = (): Promise<void> => sleep(PAUSE * (performance.now() - start));
    let transaction: OutsideTransaction;
    try {
      transaction = readRawTransaction(raw, this.#chainId);
    } catch (error) {
      await pause();
      throw error;
    }
    if (this.#ownAccounts.has(transaction.sender)) return this.#engine.send(transaction.raw);
    await pause();
    return this.#engine.accept(transaction);
  }

  async #call(method: string, handlers: Record<"send" | "read", () => Promise<unknown>>): Promise<unknown> {
    const kind = kindOf(method);
    switch (kind) {
      case "send":
      case "read":
        return handlers[kind]();
      case "fixed":
        return fixedResult(method);
      case "refused":
        throw new NodeError(`${method} is a method not supported by the embedded chain.`, -32601, undefined);
    }
  }
}

function firstOf(params: Params): unknown {
  return Array.isArray(params) ? params[0] : undefined;
}

/** Returns an error response. */
export function failure(id: string | number | null, code: number, message: string, data?: unknown): RpcResponse {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

/** An error that is not Anvil's own response names its code. */
function failureOf(id: string | number | null, error: unknown): RpcResponse {
  const { code, message, data } = nodeError(error);
  return failure(id, code, message, error instanceof SealbookError ? { code: error.code } : data);
}

function nodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  return new NodeError(`The embedded chain cannot process the request: ${reasonOf(error)}`, -32603, undefined);
}
