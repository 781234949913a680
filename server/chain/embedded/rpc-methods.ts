/** Queries, which Anvil processes. Any other method would change the chain outside its log. */
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
  ...["eth_newPendingTransactionFilter", "eth_getFilterChanges", "eth_getFilterLogs", "eth_uninstallFilter"],
  ...["txpool_status", "txpool_inspect", "txpool_content", "debug_traceTransaction", "debug_traceCall"],
]);

/** Methods with a fixed result: the chain has no built-in accounts, and gas is free. */
const FIXED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["eth_accounts", []],
  ["eth_gasPrice", "0x0"],
  ["eth_maxPriorityFeePerGas", "0x0"],
]);

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
