import { stringify } from "yaml";
import { composeAddress, composePorts, SUBNET } from "./compose.ts";
import type { DerivedFile } from "./folder.ts";
import { genesisText } from "./genesis.ts";
import { GOQUORUM_VERSION, type Network, type NetworkHost } from "./network-file.ts";
import { type AddressOf, nodeListText, staticNodesText } from "./peer-lists.ts";
import { unitEnd } from "./unit-restrictions.ts";

/** Path of a data centre's `goquorum` folder on its machine. */
export const CONFIG_DIRECTORY = "/etc/goquorum";
/** Path of the node's chain data. GoQuorum reads the lists of nodes there. */
export const DATA_DIRECTORY = "/var/lib/goquorum";
/** Container path of the lists for one machine. */
const LISTS_DIRECTORY = "/etc/goquorum-compose";
export const METRICS_PATH = "/debug/metrics/prometheus";
export const LISTS = ["static-nodes.json", "permissioned-nodes.json"];
const LOOPBACK = "127.0.0.1";
export const PROGRAM = "/usr/local/bin/geth";
/** Seconds that nginx waits for a response of the node. */
const RESPONSE_SECONDS = 60;

/** Formats the files of a network of GoQuorum nodes: of each data centre, and of all nodes on one machine. */
export function goQuorumFiles(network: Network): DerivedFile[] {
  const { hosts } = network;
  const inside = composeAddress(network);
  const own: AddressOf = ({ address }) => address;
  return [
    ...hosts.flatMap((host) => [
      { path: `${host.name}/goquorum.service`, content: unitText(network, host) },
      { path: `${host.name}/goquorum/genesis.json`, content: genesisText(network) },
      { path: `${host.name}/goquorum/static-nodes.json`, content: staticNodesText(hosts, host, own) },
      { path: `${host.name}/goquorum/permissioned-nodes.json`, content: nodeListText(hosts, own) },
      { path: `${host.name}/goquorum/nginx.conf`, content: proxyText(host) },
      { path: `compose/${host.name}/static-nodes.json`, content: staticNodesText(hosts, host, inside) },
      { path: `compose/${host.name}/permissioned-nodes.json`, content: nodeListText(hosts, inside) },
    ]),
    { path: "compose/compose.yaml", content: composeText(network) },
  ];
}

/**
 * GoQuorum's command line. Its RPC offers no API that changes the node, because it does not tell callers apart:
 * operators use the IPC socket.
 * @param address The node's address for the others
 * @param listen The address that RPC and metrics listen at
 */
function command({ plan, hosts }: Network, host: NetworkHost, address: string, listen: string): string[] {
  const options: Readonly<Record<string, string | number | undefined>> = {
    datadir: DATA_DIRECTORY,
    nodekey: `${CONFIG_DIRECTORY}/key`,
    networkid: plan.chainId,
    identity: host.name,
    port: host.p2pPort,
    nat: `extip:${address}`,
    nodiscover: undefined,
    permissioned: undefined,
    maxpeers: Math.max(25, 2 * (hosts.length - 1)),
    syncmode: "full",
    // Otherwise a crash loses the states of the newest blocks, and a crash of all nodes these blocks themselves.
    gcmode: "archive",
    mine: undefined,
    "miner.threads": 1,
    "miner.gasprice": 0,
    // Without both the limit of the blocks drifts to the node's defaults.
    "miner.gastarget": plan.gasLimit,
    "miner.gaslimit": plan.gasLimit,
    // A block is filled when the one before arrives, and again at this interval: the shortest that geth accepts.
    "miner.recommit": "1s",
    http: undefined,
    "http.addr": listen,
    "http.port": host.rpcPort,
    "http.api": "eth,net,web3",
    metrics: undefined,
    pprof: undefined,
    "pprof.addr": LOOPBACK,
    "pprof.port": host.metricsPort,
  };
  return Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [`--${name}`] : [`--${name}`, String(value)],
  );
}

/** Formats `goquorum.service`: the node as a systemd service, on a machine of its own. */
function unitText(network: Network, host: NetworkHost): string {
  const lists = LISTS.map((list) => `${CONFIG_DIRECTORY}/${list}`).join(" ");
  return `# The validator of ${host.name} as a service of systemd; how to install it: docs/network.md
[Unit]
Description=GoQuorum ${GOQUORUM_VERSION}, validator of ${host.name}
Wants=network-online.target
After=network-online.target

[Service]
User=goquorum
Group=goquorum
StateDirectory=goquorum
StateDirectoryMode=0700
# No private transactions: without this GoQuorum does not start.
Environment=PRIVATE_CONFIG=ignore
# Both do the same at each start: the genesis block of an existing chain is compared with the file.
ExecStartPre=/usr/bin/install -m 0600 ${lists} ${DATA_DIRECTORY}/
ExecStartPre=${PROGRAM} --datadir ${DATA_DIRECTORY} init ${CONFIG_DIRECTORY}/genesis.json
ExecStart=${PROGRAM} ${command(network, host, host.address, LOOPBACK).join(" ")}
KillSignal=SIGINT
Restart=always
RestartSec=5
TimeoutStopSec=120
${unitEnd("MemoryDenyWriteExecute=yes")}`;
}

/**
 * Formats `nginx.conf`: TLS with certificates on both sides before the node's RPC, and its metrics without its other
 * debugging pages.
 */
function proxyText({ name, address, dns, rpcPort, metricsPort }: NetworkHost): string {
  return `# TLS for the RPC of the validator of ${name}, for the context "http" of nginx: docs/network.md
server {
    listen ${address}:${rpcPort} ssl;
    server_name ${[...new Set([address, name, ...dns])].join(" ")};
    ssl_certificate ${CONFIG_DIRECTORY}/tls/server.pem;
    ssl_certificate_key ${CONFIG_DIRECTORY}/tls/server.key;
    ssl_client_certificate ${CONFIG_DIRECTORY}/tls/clients.pem;
    ssl_verify_client on;
    ssl_protocols TLSv1.2 TLSv1.3;
    client_max_body_size 16m;
    location / {
        proxy_pass http://${LOOPBACK}:${rpcPort};
        proxy_http_version 1.1;
        # The only name that the node accepts.
        proxy_set_header Host localhost;
        proxy_read_timeout ${RESPONSE_SECONDS}s;
    }
}

server {
    listen ${address}:${metricsPort};
    location = ${METRICS_PATH} {
        proxy_pass http://${LOOPBACK}:${metricsPort};
    }
    location / {
        return 404;
    }
}
`;
}

/** Formats `compose.yaml`: all nodes on one machine, with plain RPC on its loopback address. */
function composeText(network: Network): string {
  const addressOf = composeAddress(network);
  const services = Object.fromEntries(
    network.hosts.map((host, index) => [
      host.name,
      {
        image: `quorumengineering/quorum:${GOQUORUM_VERSION}`,
        // The files belong to the user who created them; other users cannot read the keys.
        user: "${NETWORK_USER:-1000:1000}",
        entrypoint: ["/bin/sh", "-c"],
        command: [
          `cp ${LISTS.map((list) => `${LISTS_DIRECTORY}/${list}`).join(" ")} ${DATA_DIRECTORY}/ && ` +
            `geth --datadir ${DATA_DIRECTORY} init ${CONFIG_DIRECTORY}/genesis.json && ` +
            `exec geth ${command(network, host, addressOf(host), "0.0.0.0").join(" ")}`,
        ],
        environment: { PRIVATE_CONFIG: "ignore" },
        volumes: [
          `../${host.name}/goquorum:${CONFIG_DIRECTORY}:ro`,
          `./${host.name}:${LISTS_DIRECTORY}:ro`,
          `./data/${host.name}:${DATA_DIRECTORY}`,
        ],
        ...composePorts(host, index, addressOf(host)),
        restart: "unless-stopped",
        stop_signal: "SIGINT",
        stop_grace_period: "60s",
      },
    ]),
  );
  return stringify({ services, networks: SUBNET }, { lineWidth: 0 });
}
