import * as z from "zod";
import { setTimeout as sleep } from "node:timers/promises";
import { Transaction } from "ethers";
import { NodeError } from "../rpc/node-error.ts";
import { toQuantity } from "../rpc/rpc.ts";
import type { EmbeddedNode } from "./chain-supervisor.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { yieldToEventLoop } from "../../kit/event-loop.ts";
import { KeyedQueue } from "../../kit/keyed-queue.ts";

/**
 * The queries that the port answers. Any other method would change the chain outside its log, keeps something in
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

/** Queries that execute code. */
const EXECUTING: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas", "eth_createAccessList"]);
/** Maximum gas of such a query: Anvil makes no block meanwhile. */
const MOST_GAS = 10_000_000n;
/** Maximum blocks of a query for logs. */
const MOST_BLOCKS = 1_000n;
const INVALID = -32602;
const TOO_MANY = -32005;

const Call = z.looseObject({ gas: z.string().optional() });
const LogRange = z.looseObject({
  fromBlock: z.unknown().optional(),
  toBlock: z.unknown().optional(),
  blockHash: z.unknown().optional(),
});

function isReading(method: string): boolean {
  return READING.has(method);
}

/**
 * Limits what a query can make Anvil do.
 * @param head Returns the number of the newest block
 * @returns the parameters to use
 * @throws NodeError for logs of too many blocks, as other nodes
 */
export async function limitQuery(
  method: string,
  params: readonly unknown[],
  head: () => Promise<bigint>,
): Promise<readonly unknown[]> {
  const [first, ...others] = params;
  if (EXECUTING.has(method)) {
    const call = Call.safeParse(first).data;
    if (call === undefined) throw new NodeError("The first parameter must be a call.", INVALID, undefined);
    const wanted = call.gas === undefined ? MOST_GAS : numberOf(call.gas);
    return [{ ...call, gas: toQuantity(wanted < MOST_GAS ? wanted : MOST_GAS) }, ...others];
  }
  const range = LogRange.safeParse(first).data;
  if (method !== "eth_getLogs" || range === undefined || range.blockHash !== undefined) return params;
  const newest = await head();
  const blockOf = (block: unknown): bigint => {
    if (block === "earliest") return 0n;
    return typeof block === "string" && block.startsWith("0x") ? numberOf(block) : newest;
  };
  const [from, to] = [blockOf(range.fromBlock), blockOf(range.toBlock)];
  if ((to < newest ? to : newest) - from < MOST_BLOCKS) return params;
  throw new NodeError(`Logs of at most ${MOST_BLOCKS} blocks are returned at a time.`, TOO_MANY, undefined);
}

function numberOf(text: string): bigint {
  if (/^0x[0-9a-f]{1,64}$/i.test(text)) return BigInt(text);
  throw new NodeError("A number must be hex that begins with 0x.", INVALID, undefined);
}

const Id = z.union([z.string(), z.number(), z.null()]);
const Request = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
const AnyId = z.object({ id: Id });

const MOST_IN_A_BATCH = 1_000;
/** Characters of the responses to a batch. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** Transactions that may wait for a block when one is sent over the port. */
const MOST_WAITING = 8_192;
/** Calls that take less time have no pause after them. */
const SHORT_MILLISECONDS = 5;
/** Anvil accepts other types, but puts no blobs into blocks. */
const TYPES: readonly (number | null)[] = [0, 1, 2];

/** A JSON-RPC response object. */
type PortResponse = { jsonrpc: "2.0"; id: string | number | null } & (
  { result: unknown } | { error: { code: number; message: string; data?: unknown } }
);

/** The sender of a request. */
interface Caller {
  /** Whether it may send transactions. */
  readonly maySend: boolean;
  /** Ends a batch: nobody waits for its response. */
  readonly gone: AbortSignal;
}

/**
 * Responds to the JSON-RPC requests that come over the port. One of them, or one batch, is processed at a time, and one
 * of the owner; as long as a call took, the next one waits, so that Anvil and the thread are left to this process.
 */
export class PortCalls {
  readonly #node: EmbeddedNode;
  readonly #chainId: number;
  readonly #queue = new KeyedQueue<Caller["maySend"]>(2);

  constructor(node: EmbeddedNode, chainId: number) {
    this.#node = node;
    this.#chainId = chainId;
  }

  /** Responds to a request or a batch, as JSON; `undefined` for notifications only. */
  respond(body: unknown, caller: Caller): Promise<string | undefined> {
    return this.#queue.run(caller.maySend, async () =>
      Array.isArray(body) ? this.#respondToBatch(body, caller) : textOf(await this.#respondToOne(body, caller)),
    );
  }

  async #respondToBatch(body: readonly unknown[], caller: Caller): Promise<string | undefined> {
    if (body.length === 0) return textOf(failure(null, -32600, "An empty batch."));
    if (body.length > MOST_IN_A_BATCH)
      return textOf(failure(null, -32600, `A batch may hold at most ${MOST_IN_A_BATCH} requests.`));
    const texts: string[] = [];
    let characters = 0;
    for (const request of body) {
      if (caller.gone.aborted) return undefined;
      const text = textOf(await this.#respondToOne(request, caller));
      if (text === undefined) continue;
      texts.push(text);
      characters += text.length;
      if (characters > MOST_CHARACTERS)
        return textOf(
          failure(null, -32005, `The responses have more than ${MOST_CHARACTERS} characters: ask for less.`),
        );
    }
    return texts.length === 0 ? undefined : `[${texts.join(",")}]`;
  }

  async #respondToOne(body: unknown, caller: Caller): Promise<PortResponse | undefined> {
    const request = Request.safeParse(body);
    if (!request.success) return failure(AnyId.safeParse(body).data?.id ?? null, -32600, "Not a JSON-RPC 2.0 request.");
    const { id, method, params } = request.data;
    const response = await this.#call(method, params, caller).then(
      (result): PortResponse => ({ jsonrpc: "2.0", id: id ?? null, result: result ?? null }),
      (error: unknown) => failureOf(id ?? null, error),
    );
    // Also a refused call is followed by others.
    await yieldToEventLoop();
    return id === undefined ? undefined : response;
  }

  async #call(method: string, params: readonly unknown[], { maySend }: Caller): Promise<unknown> {
    if (method === "eth_sendRawTransaction") {
      if (maySend) return this.#send(params[0]);
      throw new NodeError("The embedded chain takes transactions with CHAIN_PORT_SEND=on only.", -32601, undefined);
    }
    if (!isReading(method))
      // In the words of Geth, which libraries look for.
      throw new NodeError(`the method ${method} does not exist on the embedded chain`, -32601, undefined);
    const head = async (): Promise<bigint> => BigInt(String(await this.#node.request("eth_blockNumber", [])));
    const limited = await limitQuery(method, params, head);
    const start = performance.now();
    try {
      return await this.#node.request(method, limited);
    } finally {
      const milliseconds = performance.now() - start;
      if (milliseconds > SHORT_MILLISECONDS) await sleep(milliseconds);
    }
  }

  #send(raw: unknown): Promise<unknown> {
    if (this.#node.waiting >= MOST_WAITING)
      throw new NodeError(`${MOST_WAITING} transactions wait already. Send it again later.`, -32005, undefined);
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

function textOf(response: PortResponse | undefined): string | undefined {
  return response && JSON.stringify(response);
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
