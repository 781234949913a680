import * as z from "zod";
import { Transaction } from "ethers";
import { NodeError } from "../rpc/node-error.ts";
import type { ChainSupervisor } from "./chain-supervisor.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { yieldToEventLoop } from "../../kit/event-loop.ts";

/**
 * The methods that the port accepts. Any other method would change the chain outside its log, keeps something in
 * Anvil's memory, as filters, or has a response of any size, as traces and the content of the pool.
 */
const READING: ReadonlySet<string> = new Set(
  `web3_clientVersion web3_sha3 net_version net_listening eth_chainId eth_protocolVersion eth_syncing eth_coinbase
   eth_accounts eth_gasPrice eth_maxPriorityFeePerGas eth_blobBaseFee eth_feeHistory eth_blockNumber
   eth_getBalance eth_getCode eth_getStorageAt eth_getTransactionCount eth_getProof eth_getAccount eth_getAccountInfo
   eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts eth_getBlockTransactionCountByHash
   eth_getBlockTransactionCountByNumber eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber
   eth_getUncleByBlockHashAndIndex eth_getUncleByBlockNumberAndIndex eth_getTransactionByHash
   eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionBySenderAndNonce
   eth_getTransactionReceipt eth_getRawTransactionByHash eth_getRawTransactionByBlockHashAndIndex
   eth_getRawTransactionByBlockNumberAndIndex eth_call eth_estimateGas eth_createAccessList eth_getLogs
   txpool_status`.split(/\s+/),
);

const Id = z.union([z.string(), z.number(), z.null()]);
const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const AnyId = z.object({ id: Id });

/** More than libraries put into a batch by default. */
const MOST_IN_A_BATCH = 100;
/** Anvil accepts other types, but puts no blobs into blocks. */
const TYPES: readonly (number | null)[] = [0, 1, 2];

/** A JSON-RPC response object. */
type PortResponse = { jsonrpc: "2.0"; id: string | number | null } & (
  { result: unknown } | { error: { code: number; message: string; data?: unknown } }
);

/** Responds to the JSON-RPC requests that come over the port. */
export class PortCalls {
  readonly #node: ChainSupervisor;
  readonly #chainId: number;

  constructor(node: ChainSupervisor, chainId: number) {
    this.#node = node;
    this.#chainId = chainId;
  }

  /**
   * Responds to a request or a batch, whose requests run one after the other.
   * @param maySend Whether the sender may send transactions
   * @returns `undefined` for notifications only
   */
  async respond(body: unknown, maySend: boolean): Promise<PortResponse | readonly PortResponse[] | undefined> {
    if (!Array.isArray(body)) return this.#respondToOne(body, maySend);
    if (body.length === 0) return failure(null, -32600, "An empty batch.");
    if (body.length > MOST_IN_A_BATCH)
      return failure(null, -32600, `A batch may hold at most ${MOST_IN_A_BATCH} requests.`);
    const responses: PortResponse[] = [];
    for (const request of body) {
      const response = await this.#respondToOne(request, maySend);
      if (response !== undefined) responses.push(response);
      // Also refused requests take time.
      await yieldToEventLoop();
    }
    return responses.length === 0 ? undefined : responses;
  }

  async #respondToOne(body: unknown, maySend: boolean): Promise<PortResponse | undefined> {
    const request = Request.safeParse(body);
    if (!request.success) return failure(AnyId.safeParse(body).data?.id ?? null, -32600, "Not a JSON-RPC 2.0 request.");
    const { id, method, params } = request.data;
    const response = await this.#call(method, params, maySend).then(
      (result): PortResponse => ({ jsonrpc: "2.0", id: id ?? null, result: result ?? null }),
      (error: unknown) => failureOf(id ?? null, error),
    );
    return id === undefined ? undefined : response;
  }

  async #call(method: string, params: readonly unknown[], maySend: boolean): Promise<unknown> {
    if (method === "eth_sendRawTransaction") {
      if (maySend) return this.#send(params[0]);
      throw new NodeError("The embedded chain takes transactions with CHAIN_PORT_SEND=on only.", -32601, undefined);
    }
    if (!READING.has(method))
      // In the words of Geth, which libraries look for.
      throw new NodeError(`the method ${method} does not exist on the embedded chain`, -32601, undefined);
    return this.#node.request(method, params);
  }

  #send(raw: unknown): Promise<unknown> {
    return this.#node.request("eth_sendRawTransaction", [checkRawTransaction(raw, this.#chainId)]);
  }
}

/**
 * Rejects a transaction that Anvil would accept into its pool although it can never be mined: Anvil accepts a
 * transaction that is signed for another chain and later drops it together with all later transactions of its sender.
 * @throws NodeError
 */
function checkRawTransaction(raw: unknown, chainId: number): string {
  if (typeof raw !== "string" || raw.length % 2 !== 0 || !/^0x[0-9a-fA-F]+$/.test(raw))
    throw new NodeError("The transaction must be a hex string that begins with 0x.", -32602, undefined);
  let transaction: Transaction | undefined;
  try {
    transaction = Transaction.from(raw);
  } catch {
    // The library throws for malformed fields of any kind.
  }
  if (transaction?.signature == null || !TYPES.includes(transaction.type)) {
    const expected = "A legacy, access list or fee market transaction (type 0, 1 or 2) is expected.";
    throw new NodeError(`The transaction cannot be decoded. ${expected}`, -32602, undefined);
  }
  // A legacy transaction without a chain id is valid on every chain.
  const isForAnyChain = transaction.type === 0 && transaction.chainId === 0n;
  if (isForAnyChain || transaction.chainId === BigInt(chainId)) return raw;
  throw new NodeError(
    `The transaction is signed for chain id ${transaction.chainId}, but this chain has the id ${chainId}.`,
    -32000,
    undefined,
  );
}

/** Returns an error response. */
export function failure(id: string | number | null, code: number, message: string, data?: unknown): PortResponse {
  return { jsonrpc: "2.0", id, error: data === undefined ? { code, message } : { code, message, data } };
}

function failureOf(id: string | number | null, error: unknown): PortResponse {
  if (error instanceof NodeError) return failure(id, error.code, error.message, error.data);
  const data = error instanceof SealbookError ? { code: error.code } : undefined;
  return failure(id, -32603, `The embedded chain cannot process the request: ${reasonOf(error)}`, data);
}
