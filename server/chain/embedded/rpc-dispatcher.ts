import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import type { ChainSupervisor } from "./chain-supervisor.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { NodeError } from "../rpc/rpc.ts";
import { fixedResult, kindOf } from "./rpc-methods.ts";
import { type RawTransaction, readRawTransaction } from "./raw-transaction.ts";

const Id = z.union([z.string(), z.number(), z.null()]);
const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
});
const AnyId = z.object({ id: Id });

const MOST_IN_A_BATCH = 1_000;

/** A JSON-RPC response object. */
export type RpcResponse = { jsonrpc: "2.0"; id: string | number | null } & (
  { result: unknown } | { error: { code: number; message: string; data?: unknown } }
);

/** Responds to JSON-RPC requests. */
export class RpcDispatcher {
  readonly #engine: Pick<ChainSupervisor, "send" | "query">;
  readonly #chainId: number;
  readonly #ownAccounts: ReadonlySet<string>;
  /** The last raw transaction from outside: they are checked one by one. */
  #checked: Promise<unknown> = Promise.resolve();

  /** @param ownAccounts Accounts whose transactions from outside are not limited */
  constructor(
    engine: Pick<ChainSupervisor, "send" | "query">,
    chainId: number,
    ownAccounts: ReadonlySet<string> = new Set(),
  ) {
    this.#engine = engine;
    this.#chainId = chainId;
    this.#ownAccounts = ownAccounts;
  }

  /** Responds to a request or a batch; `undefined` for notifications only. */
  async respond(body: unknown): Promise<RpcResponse | RpcResponse[] | undefined> {
    if (!Array.isArray(body)) return this.#respondToOne(body);
    if (body.length === 0) return failure(null, -32600, "An empty batch.");
    if (body.length > MOST_IN_A_BATCH)
      return failure(null, -32600, `A batch may hold at most ${MOST_IN_A_BATCH} requests.`);
    const responses = await Promise.all(body.map((request: unknown) => this.#respondToOne(request)));
    const wanted = responses.filter((response) => response !== undefined);
    return wanted.length === 0 ? undefined : wanted;
  }

  async #respondToOne(body: unknown): Promise<RpcResponse | undefined> {
    const request = Request.safeParse(body);
    if (!request.success) return failure(AnyId.safeParse(body).data?.id ?? null, -32600, "Not a JSON-RPC 2.0 request.");
    const { id, method, params = [] } = request.data;
    const send = (raw: unknown): Promise<unknown> => this.#sendFromOutside(raw);
    const response = await this.#call(method, params, send).then(
      (result): RpcResponse => ({ jsonrpc: "2.0", id: id ?? null, result: result ?? null }),
      (error: unknown) => failureOf(id ?? null, error),
    );
    return id === undefined ? undefined : response;
  }

  /**
   * Makes one call of this process, without JSON-RPC around it. Its transactions are accepted without limits.
   * @throws NodeError with the `error` of the response
   */
  async request(method: string, params: readonly unknown[] | Record<string, unknown>): Promise<unknown> {
    try {
      return (await this.#call(method, params, (raw) => this.#engine.send(this.#read(raw).text))) ?? null;
    } catch (error) {
      throw nodeError(error);
    }
  }

  /** Recovering a sender takes a millisecond: other work gets its turn between two transactions of a batch. */
  async #sendFromOutside(raw: unknown): Promise<unknown> {
    const turn = this.#checked.then(() => setImmediate());
    this.#checked = turn;
    await turn;
    const transaction = this.#read(raw);
    const sender = transaction.sender();
    return this.#engine.send(transaction.text, this.#ownAccounts.has(sender) ? undefined : sender);
  }

  #read(raw: unknown): RawTransaction {
    return readRawTransaction(raw, this.#chainId);
  }

  async #call(
    method: string,
    params: readonly unknown[] | Record<string, unknown>,
    send: (raw: unknown) => Promise<unknown>,
  ): Promise<unknown> {
    switch (kindOf(method)) {
      case "send":
        return send(Array.isArray(params) ? params[0] : undefined);
      case "read":
        return this.#engine.query(method, params);
      case "fixed":
        return fixedResult(method);
      case "refused":
        throw new NodeError(`${method} is a method not supported by the embedded chain.`, -32601, undefined);
    }
  }
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
