import type { Network, NetworkRelayer } from "./network-file.ts";
import { CLIENT_FILES } from "./credentials.ts";

/** Where a relayer's folder `tls` is on its machine. */
const TLS_DIRECTORY = "/etc/sealbook/tls";

/** `relayer.env`: what the server has to be told of the network, for a unit's `EnvironmentFile` or a container. */
export function relayerEnvText(network: Network, relayer: NetworkRelayer): string {
  const node = network.hosts.find(({ name }) => name === relayer.node);
  if (node === undefined) throw new RangeError(`${relayer.name} uses ${relayer.node}, which is none of the hosts`);
  const variables = {
    RPC_URL: `https://${node.address}:${node.rpcPort}`,
    RPC_TLS_CERT_FILE: `${TLS_DIRECTORY}/${CLIENT_FILES.certificate}`,
    RPC_TLS_KEY_FILE: `${TLS_DIRECTORY}/${CLIENT_FILES.key}`,
    RPC_TLS_CA_FILE: `${TLS_DIRECTORY}/${CLIENT_FILES.authority}`,
    GAS_PRICE: "0",
    VALIDATOR_NAMES: network.hosts.map(({ validator, name }) => `${validator}=${name}`).join(","),
  };
  return Object.entries(variables).map(([name, value]) => `${name}=${value}\n`).join("");
}
