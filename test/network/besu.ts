/** Besu 26.9.0's options of a node, as a configuration file names them. */
export const OPTIONS = new Set(
  words(`
  data-path logging color-enabled node-private-key-file pid-path reorg-logging-threshold static-nodes-file
  version-compatibility-protection profile security-module identity p2p-enabled nat-method discovery-enabled
  poa-discovery-retry-bootnodes bootnodes banned-node-ids banned-node-id p2p-host p2p-host-ipv6 p2p-interface
  p2p-interface-ipv6 p2p-port p2p-port-ipv6 p2p-ipv6-outbound-enabled max-peers remote-connections-limit-enabled
  remote-connections-max-percentage random-peer-priority-enabled host-allowlist engine-host-allowlist
  engine-rpc-enabled engine-jwt-disabled engine-jwt-secret required-blocks discovery-dns-url net-restrict network
  genesis-file genesis-state-hash-cache-enabled sync-mode sync-min-peers network-id kzg-trusted-setup rpc-http-enabled
  rpc-http-host rpc-http-port engine-rpc-port rpc-http-max-active-connections rpc-http-api rpc-http-apis
  rpc-http-api-method-no-auth rpc-http-api-methods-no-auth rpc-ws-api-method-no-auth rpc-ws-api-methods-no-auth
  rpc-http-cors-origins rpc-http-authentication-enabled rpc-http-authentication-credentials-file
  rpc-http-authentication-jwt-public-key-file rpc-http-tls-enabled rpc-http-tls-keystore-file
  rpc-http-tls-keystore-password-file rpc-http-tls-client-auth-enabled rpc-http-tls-known-clients-file
  rpc-http-tls-ca-clients-enabled rpc-http-tls-truststore-file rpc-http-tls-truststore-password-file
  rpc-http-authentication-jwt-algorithm rpc-ws-authentication-jwt-algorithm rpc-http-tls-protocols
  rpc-http-tls-cipher-suites rpc-http-max-batch-size rpc-http-max-request-content-length rpc-max-logs-range
  json-pretty-print-enabled cache-last-blocks tx-sender-nonce-index-enabled rpc-gas-cap rpc-max-trace-filter-range
  graphql-http-enabled rpc-ws-enabled rpc-ws-api rpc-ws-apis rpc-ws-host rpc-ws-port rpc-ws-max-active-connections
  rpc-ws-max-frame-size rpc-ws-authentication-enabled rpc-ws-ssl-enabled metrics-enabled metrics-protocol metrics-host
  metrics-port metrics-category metrics-push-enabled metrics-push-host metrics-push-port metrics-push-interval
  metrics-push-prometheus-job miner-extra-data min-gas-price min-priority-fee block-txs-selection-max-time
  poa-block-txs-selection-max-time plugin-block-txs-selection-max-time permissions-nodes-config-file-enabled
  permissions-nodes-config-file permissions-accounts-config-file-enabled permissions-accounts-config-file tx-pool
  tx-pool-price-bump rpc-tx-feecap strict-tx-replay-protection-enabled tx-pool-no-local-priority
  tx-pool-priority-senders tx-pool-enable-save-restore tx-pool-save-file tx-pool-layer-max-capacity
  tx-pool-max-prioritized tx-pool-max-future-by-sender tx-pool-retention-hours tx-pool-max-size
  tx-pool-limit-by-account-percentage tx-pool-min-gas-price revert-reason-enabled key-value-storage target-gas-limit
  auto-log-bloom-caching-enabled ethstats data-storage-format bonsai-historical-block-limit
  bonsai-limit-trie-logs-enabled receipt-compaction-enabled plugins
`),
);

/** Besu 26.9.0's methods: a node does not start with another one. */
export const METHODS = new Set(
  words(`
  admin_addPeer admin_nodeInfo admin_peers admin_removePeer eth_accounts eth_blockNumber eth_call eth_chainId
  eth_capabilities eth_config eth_estimateGas eth_createAccessList eth_feeHistory eth_gasPrice eth_baseFee
  eth_blobBaseFee eth_getBalance eth_getBlockAccessList eth_getBlockByHash eth_getBlockByNumber eth_getBlockReceipts
  eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode eth_getFilterChanges
  eth_getFilterLogs eth_getLogs eth_maxPriorityFeePerGas eth_getProof eth_getStorageAt eth_getStorageValues
  eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash
  eth_getTransactionBySenderAndNonce eth_getTransactionCount eth_getTransactionReceipt eth_getUncleByBlockHashAndIndex
  eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber eth_newBlockFilter
  eth_newFilter eth_newPendingTransactionFilter eth_protocolVersion eth_sendRawTransaction eth_sendTransaction
  eth_simulateV1 eth_subscribe eth_syncing eth_uninstallFilter eth_unsubscribe ibft_discardValidatorVote
  ibft_getPendingVotes ibft_getValidatorsByBlockHash ibft_getValidatorsByBlockNumber ibft_proposeValidatorVote
  ibft_getSignerMetrics qbft_discardValidatorVote qbft_getPendingVotes qbft_getValidatorsByBlockHash
  qbft_getValidatorsByBlockNumber qbft_proposeValidatorVote qbft_getSignerMetrics qbft_getRequestTimeoutSeconds
  net_enode net_listening net_peerCount net_services net_version perm_addAccountsToAllowlist perm_addNodesToAllowlist
  perm_getAccountsAllowlist perm_getNodesAllowlist perm_reloadPermissionsFromFile perm_removeAccountsFromAllowlist
  perm_removeNodesFromAllowlist rpc_modules txpool_besuStatistics txpool_besuTransactions
  txpool_besuPendingTransactions txpool_status txpool_content web3_clientVersion web3_sha3
`),
);

/** What Besu 26.9.0 reads of a genesis file's `config`, and of its protocol's rules. */
export const GENESIS_CONFIG = ["chainId", "londonBlock", "zeroBaseFee", "contractSizeLimit", "ibft2", "qbft"];
export const BFT_RULES = ["blockperiodseconds", "emptyblockperiodseconds", "epochlength", "requesttimeoutseconds"];

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
