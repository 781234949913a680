import { besuCommand, CONFIG_DIRECTORY } from "./besu-config.ts";
import type { Network, NetworkHost } from "./network-file.ts";

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
