import { z } from "zod";
import type { ChainSupervisor } from "./chain-supervisor.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { NodeError } from "../rpc/rpc.ts";
import { fixedAnswer, kindOf } from "./rpc-methods.ts";
import { checkRawTransaction } from "./raw-transaction.ts";

const Id = z.union([z.string(), z.number(), z.null()]);
const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
});
const AnyId = z.object({ id: Id });

const MOST_IN_A_BATCH = 1_000;

/** A JSON-RPC answer object. */
export type RpcAnswer = { jsonrpc: "2.0"; id: string | number | null } & (
  { result: unknown } | { error: { code: number; message: string; data?: unknown } }
);

/** Answers JSON-RPC requests from the chain. */
export class RpcDispatcher {
  readonly #engine: Pick<ChainSupervisor, "send" | "query">;
  readonly #chainId: number;

  constructor(engine: Pick<ChainSupervisor, "send" | "query">, chainId: number) {
    this.#engine = engine;
    this.#chainId = chainId;
  }

  /** Answers a request or a batch; undefined when there is nothing to answer (only notifications). */
  async answer(body: unknown): Promise<RpcAnswer | RpcAnswer[] | undefined> {
    if (!Array.isArray(body)) return this.#answerOne(body);
    if (body.length === 0) return failure(null, -32600, "An empty batch.");
    if (body.length > MOST_IN_A_BATCH)
      return failure(null, -32600, `A batch may hold at most ${MOST_IN_A_BATCH} requests.`);
    const answers = await Promise.all(body.map((request: unknown) => this.#answerOne(request)));
    const wanted = answers.filter((answer) => answer !== undefined);
    return wanted.length === 0 ? undefined : wanted;
  }

  async #answerOne(body: unknown): Promise<RpcAnswer | undefined> {
    const request = Request.safeParse(body);
    if (!request.success) return failure(AnyId.safeParse(body).data?.id ?? null, -32600, "Not a JSON-RPC 2.0 request.");
    const { id, method, params = [] } = request.data;
    const answer = await this.#call(method, params).then(
      (result): RpcAnswer => ({ jsonrpc: "2.0", id: id ?? null, result: result ?? null }),
      (error: unknown) => failureOf(id ?? null, error),
    );
    return id === undefined ? undefined : answer;
  }

  /**
   * Answers one call without JSON around it.
   * @throws NodeError with the `error` of such an answer
   */
  async request(method: string, params: readonly unknown[] | Record<string, unknown>): Promise<unknown> {
    try {
      return (await this.#call(method, params)) ?? null;
    } catch (error) {
      throw nodeError(error);
    }
  }

  async #call(method: string, params: readonly unknown[] | Record<string, unknown>): Promise<unknown> {
    switch (kindOf(method)) {
      case "send":
        return this.#engine.send(checkRawTransaction(Array.isArray(params) ? params[0] : undefined, this.#chainId));
      case "read":
        return this.#engine.query(method, params);
      case "fixed":
        return fixedAnswer(method);
      case "refused":
        throw new NodeError(`${method} is a method not supported by the embedded chain.`, -32601, undefined);
    }
  }
}

/** An answer that says what went wrong. */
export function failure(id: string | number | null, code: number, message: string, data?: unknown): RpcAnswer {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

/** An error that is not Anvil's own response names its code. */
function failureOf(id: string | number | null, error: unknown): RpcAnswer {
  const { code, message, data } = nodeError(error);
  return failure(id, code, message, error instanceof SealbookError ? { code: error.code } : data);
}

function nodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  return new NodeError(`The embedded chain cannot answer: ${reasonOf(error)}`, -32603, undefined);
}
