import { stringify } from "yaml";
import { besuCommand, CONFIG_DIRECTORY, DATA_DIRECTORY } from "./besu-config.ts";
import { type Network, type NetworkHost, BESU_VERSION } from "./network-file.ts";

/** What systemd forbids each node, because it does not need it: lines of `[Service]`. Other files stay read-only. */
const RESTRICTIONS = `CapabilityBoundingSet=
LockPersonality=yes
NoNewPrivileges=yes
PrivateDevices=yes
PrivateTmp=yes
PrivateUsers=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM`;

/** Formats `besu.service`: the node as a systemd service, on a machine of its own. */
export function unitText({ plan }: Pick<Network, "plan">, { name }: NetworkHost): string {
  return `# The validator of ${name} as a service of systemd; how to install it: docs/network.md
[Unit]
Description=Besu, validator of ${name}
Wants=network-online.target
After=network-online.target

[Service]
User=besu
Group=besu
StateDirectory=besu
StateDirectoryMode=0700
Environment=JAVA_OPTS=-Xmx4g
ExecStart=${besuCommand("/opt/besu/bin/besu", plan).join(" ")}
# Java ends with 143 on a request to stop.
SuccessExitStatus=143
Restart=always
RestartSec=5
TimeoutStopSec=120
LimitNOFILE=65536
UMask=0077

# What the node does not need it cannot do.
${RESTRICTIONS}
# Java compiles while it runs: no MemoryDenyWriteExecute. The node keeps its allow-list when it is changed.
ReadWritePaths=${CONFIG_DIRECTORY}/permissions_config.toml

[Install]
WantedBy=multi-user.target
`;
}

const SUBNET_PREFIX = "172.30.84.";
const FIRST_ADDRESS = 11;
/** First of the consecutive loopback ports for the nodes' RPC. */
const FIRST_RPC_PORT = 18_545;
/** Container path of the peer lists for this machine; they replace those for separate machines. */
const LISTS_DIRECTORY = "/etc/besu-compose";

/**
 * Returns the data folder of a node, relative to the network's folder. It is created in advance, because Docker would
 * create it for root.
 */
export function composeData(host: NetworkHost): string {
  return `compose/data/${host.name}`;
}

/**
 * Returns a node's address in the container network: its own when all hosts have one in that network, else a
 * consecutive one.
 */
export function composeAddress({ hosts }: Network): (host: NetworkHost) => string {
  if (hosts.every(({ address }) => address.startsWith(SUBNET_PREFIX))) return ({ address }) => address;
  return (host) => `${SUBNET_PREFIX}${FIRST_ADDRESS + hosts.findIndex(({ name }) => name === host.name)}`;
}

/** Formats `compose.yaml`: all nodes on one machine, each with its data centre's own folder, keys and certificates. */
export function composeText(network: Network): string {
  const [entrypoint, ...command] = besuCommand("/opt/besu/bin/besu", network.plan);
  const addressOf = composeAddress(network);
  const services = Object.fromEntries(
    network.hosts.map((host, index) => [
      host.name,
      {
        image: `hyperledger/besu:${BESU_VERSION}`,
        // The files belong to the user who created them; other users cannot read the keys.
        user: "${NETWORK_USER:-1000:1000}",
        entrypoint: [entrypoint],
        command,
        environment: {
          BESU_P2P_HOST: addressOf(host),
          BESU_STATIC_NODES_FILE: `${LISTS_DIRECTORY}/static-nodes.json`,
          BESU_PERMISSIONS_NODES_CONFIG_FILE: `${LISTS_DIRECTORY}/permissions_config.toml`,
          JAVA_OPTS: "-Xmx1g",
        },
        volumes: [
          `../${host.name}/besu:${CONFIG_DIRECTORY}:ro`,
          `./${host.name}:${LISTS_DIRECTORY}`,
          `./data/${host.name}:${DATA_DIRECTORY}`,
        ],
        ports: [`127.0.0.1:${FIRST_RPC_PORT + index}:${host.rpcPort}`],
        networks: { validators: { ipv4_address: addressOf(host) } },
        restart: "unless-stopped",
        stop_grace_period: "60s",
      },
    ]),
  );
  const networks = { validators: { ipam: { config: [{ subnet: `${SUBNET_PREFIX}0/24` }] } } };
  return stringify({ services, networks }, { lineWidth: 0 });
}
