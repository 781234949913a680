import { besuConfigText } from "./besu-config.ts";
import { composeAddress, composeText } from "./compose.ts";
import type { DerivedFile } from "./folder.ts";
import { genesisText } from "./genesis.ts";
import { monitoringFiles } from "./monitoring.ts";
import { NETWORK_FILE, type Network, type NetworkHost, networkText } from "./network-file.ts";
import { nodeListText, permissionsText, staticNodesText } from "./peer-lists.ts";
import { relayerEnvText } from "./relayer-env.ts";
import { unitText } from "./besu-unit.ts";

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
