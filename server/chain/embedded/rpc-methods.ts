/** Methods that only read; they are passed on to Anvil. Everything else would change the chain outside its log. */
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

/** Methods answered without Anvil: it has no accounts of its own, and gas costs nothing. */
const FIXED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["eth_accounts", []],
  ["eth_gasPrice", "0x0"],
  ["eth_maxPriorityFeePerGas", "0x0"],
]);

/** What happens to a request. */
export type MethodKind = "send" | "read" | "fixed" | "refused";

/** Says what happens to a method. */
export function kindOf(method: string): MethodKind {
  if (method === "eth_sendRawTransaction") return "send";
  if (FIXED.has(method)) return "fixed";
  return READING.has(method) ? "read" : "refused";
}

/** The answer of a method that always answers the same. */
export function fixedAnswer(method: string): unknown {
  return FIXED.get(method);
}
