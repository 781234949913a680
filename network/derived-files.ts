import { stringify as toToml } from "smol-toml";
import { stringify as toYaml } from "yaml";
import { type NetworkHost, type Network, type NetworkRelayer, NETWORK_FILE, networkText } from "./network-file.ts";
import { enodeOf } from "./node-key.ts";
import { CLIENT_FILES } from "./credentials.ts";
import type { DerivedFile } from "./folder.ts";
import { besuConfigText } from "./besu-config.ts";
import { composeAddress, composeText, unitText } from "./node-services.ts";
import { genesisText } from "./genesis.ts";

/** Returns the address of a node; nodes on one machine have other addresses than on separate machines. */
type AddressOf = (host: NetworkHost) => string;

/** Formats `static-nodes.json`: the peers of a node, which are all other nodes. */
function staticNodesText(hosts: readonly NetworkHost[], self: NetworkHost, addressOf: AddressOf): string {
  return nodeListText(
    hosts.filter(({ name }) => name !== self.name),
    addressOf,
  );
}

/** Formats `nodes.json`: all nodes, for relayers. */
function nodeListText(hosts: readonly NetworkHost[], addressOf: AddressOf): string {
  return `${JSON.stringify(
    hosts.map((host) => enodeOf(host, addressOf(host))),
    null,
    2,
  )}\n`;
}

/**
 * Formats `permissions_config.toml`: the permitted peers. The file is the same on all nodes, so that copies can be
 * compared.
 */
function permissionsText(hosts: readonly NetworkHost[], addressOf: AddressOf): string {
  return `${toToml({ "nodes-allowlist": hosts.map((host) => enodeOf(host, addressOf(host))) })}\n`;
}

/** Path of a relayer's folder on its machine. */
const DIRECTORY = "/etc/sealbook";
const TLS_DIRECTORY = `${DIRECTORY}/tls`;

/**
 * Formats `relayer.env`: the server's settings for the network, for the `EnvironmentFile` of a unit or for a container.
 */
function relayerEnvText(network: Network, relayer: NetworkRelayer): string {
  const addresses = relayer.nodes.map((name) => {
    const node = network.hosts.find((host) => host.name === name);
    if (node === undefined) throw new RangeError(`${relayer.name} uses ${name}, which is not in hosts`);
    return `https://${node.address}:${node.rpcPort}`;
  });
  const variables = {
    RPC_URL: addresses.join(","),
    RPC_TLS_CERT_FILE: `${TLS_DIRECTORY}/${CLIENT_FILES.certificate}`,
    RPC_TLS_KEY_FILE: `${TLS_DIRECTORY}/${CLIENT_FILES.key}`,
    RPC_TLS_CA_FILE: `${TLS_DIRECTORY}/${CLIENT_FILES.authority}`,
    NODE_LIST_FILE: `${DIRECTORY}/nodes.json`,
    GAS_PRICE: "0",
    VALIDATOR_NAMES: network.hosts.map(({ validator, name }) => `${validator}=${name}`).join(","),
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

const TARGETS_FILE = "besu-targets.json";

/** Formats the targets of all nodes for Prometheus's file-based discovery. */
function targetsText({ hosts }: Network): string {
  const targets = hosts.map(({ name, address, metricsPort, validator }) => ({
    targets: [`${address}:${metricsPort}`],
    labels: { node: name, validator },
  }));
  return `${JSON.stringify(targets, null, 2)}\n`;
}

/** Formats the scrape configuration of Prometheus for these targets. */
function prometheusText(): string {
  return toYaml({ scrape_configs: [{ job_name: "besu", file_sd_configs: [{ files: [TARGETS_FILE] }] }] });
}

/** Returns the files of the monitoring. */
function monitoringFiles(network: Network): DerivedFile[] {
  return [
    { path: `monitoring/${TARGETS_FILE}`, content: targetsText(network) },
    { path: "monitoring/prometheus.yml", content: prometheusText() },
  ];
}

const own = ({ address }: NetworkHost): string => address;

function besuFiles(network: Network): DerivedFile[] {
  const { hosts } = network;
  const inside = composeAddress(network);
  return [
    ...hosts.flatMap((host) => [
      { path: `${host.name}/besu.service`, content: unitText(network, host) },
      { path: `${host.name}/besu/besu.toml`, content: besuConfigText(network, host) },
      { path: `${host.name}/besu/genesis.json`, content: genesisText(network) },
      { path: `${host.name}/besu/static-nodes.json`, content: staticNodesText(hosts, host, own) },
      { path: `${host.name}/besu/permissions_config.toml`, content: permissionsText(hosts, own) },
      { path: `compose/${host.name}/static-nodes.json`, content: staticNodesText(hosts, host, inside) },
      { path: `compose/${host.name}/permissions_config.toml`, content: permissionsText(hosts, inside) },
    ]),
    { path: "compose/compose.yaml", content: composeText(network) },
  ];
}

/** Generates every file that is derived from network.json. None of them contains a secret. */
export function derivedFiles(network: Network): DerivedFile[] {
  const { hosts, relayers } = network;
  return [
    { path: NETWORK_FILE, content: networkText(network) },
    ...hosts.map((host) => ({ path: `${host.name}/network.json`, content: networkText(network) })),
    ...besuFiles(network),
    ...relayers.flatMap((relayer) => [
      { path: `${relayer.name}/relayer.env`, content: relayerEnvText(network, relayer) },
      { path: `${relayer.name}/nodes.json`, content: nodeListText(hosts, own) },
    ]),
    ...monitoringFiles(network),
  ];
}
