import { stringify } from "smol-toml";
import { BESU_VERSION, type Network, type NetworkHost } from "./network-file.ts";

/** Path of a data centre's `besu` folder on its machine. */
export const CONFIG_DIRECTORY = "/etc/besu";
/** Path of the node's chain data. */
export const DATA_DIRECTORY = "/var/lib/besu";
/**
 * Besu's command line. The profile has to stand there: in the configuration file it has no effect. With QBFT there is
 * an option by which validators in an earlier round follow to a later one as soon as more than a third are there; it
 * had no effect in the builds that were tried. IBFT 2.0 has no such option.
 * @param program Path of Besu's launcher
 */
export function besuCommand(program: string, { consensus }: Network["plan"]): [string, ...string[]] {
  return [
    program,
    "--profile=ENTERPRISE",
    `--config-file=${CONFIG_DIRECTORY}/besu.toml`,
    ...(consensus === "qbft" ? ["--Xqbft-enable-early-round-change"] : []),
  ];
}

/** Maximum number of pending transactions; one relayer may send all of them. */
const POOL_SIZE = 4_096;
/** Maximum calls in a batch request: the batch size of relayers. */
const BATCH_SIZE = 1_024;

/** Methods that read, and the method that sends signed transactions. */
const READING_METHODS = `
  admin_nodeInfo admin_peers eth_accounts eth_blobBaseFee eth_blockNumber eth_call eth_chainId eth_createAccessList
  eth_estimateGas eth_feeHistory eth_gasPrice eth_getBalance eth_getBlockByHash eth_getBlockByNumber
  eth_getBlockReceipts eth_getBlockTransactionCountByHash eth_getBlockTransactionCountByNumber eth_getCode
  eth_getFilterChanges eth_getFilterLogs eth_getLogs eth_getProof eth_getStorageAt
  eth_getTransactionByBlockHashAndIndex eth_getTransactionByBlockNumberAndIndex eth_getTransactionByHash
  eth_getTransactionCount eth_getTransactionReceipt eth_getUncleByBlockHashAndIndex
  eth_getUncleByBlockNumberAndIndex eth_getUncleCountByBlockHash eth_getUncleCountByBlockNumber
  eth_maxPriorityFeePerGas eth_newBlockFilter eth_newFilter eth_newPendingTransactionFilter eth_protocolVersion
  eth_sendRawTransaction eth_syncing eth_uninstallFilter net_enode net_listening net_peerCount net_services
  net_version perm_getNodesAllowlist rpc_modules web3_clientVersion web3_sha3`
  .trim()
  .split(/\s+/);
const CONSENSUS_METHODS = [
  "getPendingVotes",
  "getSignerMetrics",
  "getValidatorsByBlockHash",
  "getValidatorsByBlockNumber",
];

/** Methods that need only a client certificate. All others, such as votes, also need the operator's token. */
function openMethods({ plan }: Pick<Network, "plan">): string[] {
  const prefix = consensusApi(plan.consensus).toLowerCase();
  return [...READING_METHODS, ...CONSENSUS_METHODS.map((name) => `${prefix}_${name}`)];
}

/** Returns the JSON-RPC API name of a consensus protocol. */
export function consensusApi(consensus: Network["plan"]["consensus"]): "IBFT" | "QBFT" {
  return consensus === "ibft2" ? "IBFT" : "QBFT";
}

/** Formats `besu.toml` of one node, with the names of Besu's options. */
export function besuConfigText(network: Network, host: NetworkHost): string {
  const { plan } = network;
  const peers = network.hosts.length - 1;
  const tls = `${CONFIG_DIRECTORY}/tls`;
  const options = {
    "genesis-file": `${CONFIG_DIRECTORY}/genesis.json`,
    "data-path": DATA_DIRECTORY,
    // The Besu manual recommends this for private networks. IBFT 2.0 rejected blocks with the other format.
    "sync-mode": "FULL",
    "data-storage-format": "FOREST",
    "node-private-key-file": `${CONFIG_DIRECTORY}/key`,
    identity: host.name,
    logging: "INFO",

    "p2p-host": host.address,
    "p2p-port": host.p2pPort,
    "nat-method": "NONE",
    "discovery-enabled": false,
    "static-nodes-file": `${CONFIG_DIRECTORY}/static-nodes.json`,
    "permissions-nodes-config-file-enabled": true,
    "permissions-nodes-config-file": `${CONFIG_DIRECTORY}/permissions_config.toml`,
    "max-peers": Math.max(25, 2 * peers),
    // Permits peers to initiate any share of the connections.
    "remote-connections-limit-enabled": false,

    "min-gas-price": 0,
    "target-gas-limit": plan.gasLimit,
    "tx-pool": "SEQUENCED",
    "tx-pool-limit-by-account-percentage": 1,
    "tx-pool-max-size": POOL_SIZE,
    "tx-pool-no-local-priority": true,

    "host-allowlist": [...new Set([host.address, host.name, ...host.dns, "localhost", "127.0.0.1"])],
    "rpc-http-enabled": true,
    "rpc-http-host": "0.0.0.0",
    "rpc-http-port": host.rpcPort,
    "rpc-http-api": ["ETH", "NET", "WEB3", "ADMIN", "PERM", consensusApi(plan.consensus)],
    "rpc-http-max-batch-size": BATCH_SIZE,
    "rpc-http-tls-enabled": true,
    "rpc-http-tls-keystore-file": `${tls}/server.p12`,
    "rpc-http-tls-keystore-password-file": `${tls}/password`,
    "rpc-http-tls-client-auth-enabled": true,
    "rpc-http-tls-truststore-file": `${tls}/clients.p12`,
    "rpc-http-tls-truststore-password-file": `${tls}/password`,
    "rpc-http-authentication-enabled": true,
    "rpc-http-authentication-jwt-algorithm": "ES256",
    "rpc-http-authentication-jwt-public-key-file": `${tls}/operator.pub`,
    "rpc-http-api-methods-no-auth": openMethods(network),

    "metrics-enabled": true,
    "metrics-host": "0.0.0.0",
    "metrics-port": host.metricsPort,
  };
  return `# Besu ${BESU_VERSION}, node of ${host.name}. What each file is: docs/network.md\n${stringify(options)}\n`;
}
