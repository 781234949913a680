import { z } from "zod";
import { NodeError, toQuantity } from "../rpc/rpc.ts";

/** The parameters of a request. */
export type Params = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * Queries, which Anvil processes. Any other method would change the chain outside its log, or has a response of any
 * size, as traces and the content of the pool.
 */
const READING = new Set([
  ...[
    "web3_clientVersion",
    "web3_sha3",
    "net_version",
    "net_listening",
    "eth_chainId",
    "eth_protocolVersion",
    "eth_syncing",
    "eth_coinbase",
  ],
  ...[
    "eth_blockNumber",
    "eth_blobBaseFee",
    "eth_feeHistory",
    "eth_getBalance",
    "eth_getCode",
    "eth_getStorageAt",
    "eth_getTransactionCount",
  ],
  ...[
    "eth_getProof",
    "eth_getAccount",
    "eth_getAccountInfo",
    "eth_getBlockByHash",
    "eth_getBlockByNumber",
    "eth_getBlockReceipts",
  ],
  ...["eth_getBlockTransactionCountByHash", "eth_getBlockTransactionCountByNumber", "eth_getUncleCountByBlockHash"],
  ...["eth_getUncleCountByBlockNumber", "eth_getUncleByBlockHashAndIndex", "eth_getUncleByBlockNumberAndIndex"],
  ...["eth_getTransactionByHash", "eth_getTransactionByBlockHashAndIndex", "eth_getTransactionByBlockNumberAndIndex"],
  ...["eth_getTransactionBySenderAndNonce", "eth_getTransactionReceipt", "eth_getRawTransactionByHash"],
  ...["eth_getRawTransactionByBlockHashAndIndex", "eth_getRawTransactionByBlockNumberAndIndex"],
  ...["eth_call", "eth_estimateGas", "eth_createAccessList", "eth_getLogs", "eth_newFilter", "eth_newBlockFilter"],
  ...["eth_newPendingTransactionFilter", "eth_getFilterChanges", "eth_uninstallFilter"],
  ...["txpool_status"],
]);

/** Methods with a fixed result: the chain has no built-in accounts, and gas is free. */
const FIXED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["eth_accounts", []],
  ["eth_gasPrice", "0x0"],
  ["eth_maxPriorityFeePerGas", "0x0"],
]);

/** Queries that execute code. */
const EXECUTING: ReadonlySet<string> = new Set(["eth_call", "eth_estimateGas", "eth_createAccessList"]);
/** Maximum gas of such a query from outside: Anvil makes no block meanwhile. */
const MOST_GAS = 10_000_000n;
/** Queries over a range of blocks. */
const LOG_QUERIES: ReadonlySet<string> = new Set(["eth_getLogs", "eth_newFilter"]);
/** Maximum blocks of a query for logs from outside. */
const MOST_BLOCKS = 1_000n;
const TOO_MANY = -32005;

const Call = z.looseObject({ gas: z.string().optional() });
const LogRange = z.looseObject({
  fromBlock: z.unknown().optional(),
  toBlock: z.unknown().optional(),
  blockHash: z.unknown().optional(),
});

/**
 * Limits what a query from outside can make Anvil do.
 * @param head Returns the number of the newest block
 * @returns the parameters to use
 * @throws NodeError for logs of too many blocks, as other nodes
 */
export async function limitQuery(method: string, params: Params, head: () => Promise<bigint>): Promise<Params> {
  if (!Array.isArray(params)) throw new NodeError("The parameters must be a list.", -32602, undefined);
  const [first, ...others]: unknown[] = params;
  if (EXECUTING.has(method)) {
    const call = Call.safeParse(first).data;
    if (call === undefined) throw new NodeError("The first parameter must be a call.", -32602, undefined);
    const { gas } = call;
    const wanted = gas === undefined ? MOST_GAS : numberOf(gas);
    return [{ ...call, gas: toQuantity(wanted < MOST_GAS ? wanted : MOST_GAS) }, ...others];
  }
  const range = LogRange.safeParse(first).data;
  if (!LOG_QUERIES.has(method) || range === undefined || range.blockHash !== undefined) return params;
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
  throw new NodeError("A number must be hex that begins with 0x.", -32602, undefined);
}

/** How a request is handled. */
export type MethodKind = "send" | "read" | "fixed" | "refused";

/** Returns how a method is handled. */
export function kindOf(method: string): MethodKind {
  if (method === "eth_sendRawTransaction") return "send";
  if (FIXED.has(method)) return "fixed";
  return READING.has(method) ? "read" : "refused";
}

/** Returns the result of a method with a fixed one. */
export function fixedResult(method: string): unknown {
  return FIXED.get(method);
}
