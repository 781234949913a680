import type { Network, NetworkRelayer } from "./network-file.ts";
import { CLIENT_FILES } from "./credentials.ts";

/** Path of a relayer's folder on its machine. */
const DIRECTORY = "/etc/sealbook";
const TLS_DIRECTORY = `${DIRECTORY}/tls`;

/**
 * Formats `relayer.env`: the server's settings for the network, for the `EnvironmentFile` of a unit or for a container.
 */
export function relayerEnvText(network: Network, relayer: NetworkRelayer): string {
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
    CONSENSUS_REQUEST_TIMEOUT: String(network.plan.requestTimeoutSeconds),
    GAS_PRICE: "0",
    VALIDATOR_NAMES: network.hosts.map(({ validator, name }) => `${validator}=${name}`).join(","),
  };
  return Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}
