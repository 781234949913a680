import { z } from "zod";
import { NodeError, toQuantity } from "../rpc/rpc.ts";

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

export function isReading(method: string): boolean {
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
