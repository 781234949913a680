import { FetchRequest, isError, JsonRpcProvider, Network } from "ethers";
import { SealbookError } from "../../errors.ts";

/** A connection to a node. */
export interface Rpc {
  readonly chainId: number;
  /**
   * One JSON-RPC call.
   * @throws SealbookError `chain_unavailable` when no answer came; {@link NodeError} when the node answered an error
   */
  call(method: string, parameters: readonly unknown[]): Promise<unknown>;
  close(): void;
}

/** The node's own error answer to a call. */
export class NodeError extends Error {
  readonly code: number;
  /** Revert data as `0x` hex, when the node gave any. */
  readonly data: string | undefined;

  constructor(message: string, code: number, data: string | undefined) {
    super(message);
    this.name = "NodeError";
    this.code = code;
    this.data = data;
  }
}

/** How long a node may take to answer one call. */
const TIMEOUT_MILLISECONDS = 15_000;

/** Connects to a node; nothing is asked of it before the first call. */
export function connectRpc(url: string, chainId: number): Rpc {
  const request = new FetchRequest(url);
  request.timeout = TIMEOUT_MILLISECONDS;
  const provider = new JsonRpcProvider(request, chainId, {
    staticNetwork: Network.from(chainId),
    // Calls of one turn of the event loop share a request; none waits for more to come.
    batchStallTime: 0,
    cacheTimeout: -1,
  });
  return {
    chainId,
    async call(method, parameters) {
      try {
        return await provider.send(method, [...parameters]);
      } catch (error) {
        throw nodeErrorOf(error) ?? new SealbookError("chain_unavailable", "the chain's node does not answer", { cause: error });
      }
    },
    close: () => provider.destroy(),
  };
}

/** Asks a node for its chain id, when it is not known yet. */
export async function askChainId(url: string): Promise<number> {
  const rpc = connectRpc(url, 1);
  try {
    return Number(await rpc.call("eth_chainId", []));
  } finally {
    rpc.close();
  }
}

/** What the node said, found in what ethers made of it; `undefined` when the node said nothing. */
export function nodeErrorOf(error: unknown): NodeError | undefined {
  if (error instanceof NodeError) return error;
  const answered = answeredError(error) ?? (hasInfo(error) ? answeredError(error.info) : undefined);
  if (!isError(error, "CALL_EXCEPTION")) return answered;
  // What the node said of a revert is worth more than what the library makes of it.
  return new NodeError(answered?.message ?? error.shortMessage, answered?.code ?? 3, error.data ?? undefined);
}

function answeredError(container: unknown): NodeError | undefined {
  if (typeof container !== "object" || container === null || !("error" in container)) return undefined;
  const { error } = container;
  if (typeof error !== "object" || error === null || !("message" in error)) return undefined;
  // Every error that a node answers has a code; an error without one was made on the way.
  if (!("code" in error) || typeof error.code !== "number") return undefined;
  const { code } = error;
  const data = "data" in error && typeof error.data === "string" ? error.data : undefined;
  return new NodeError(String(error.message), code, data);
}

function hasInfo(error: unknown): error is { info: unknown } {
  return typeof error === "object" && error !== null && "info" in error;
}

/** A number as JSON-RPC writes it. */
export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
