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

/**
 * Formats the end of a node's systemd unit: common to all nodes, whatever their software.
 * @param further Lines of `[Service]` that only this software has
 */
export function unitEnd(...further: readonly string[]): string {
  return `LimitNOFILE=65536
UMask=0077

# What the node does not need it cannot do.
${[RESTRICTIONS, ...further].join("\n")}

[Install]
WantedBy=multi-user.target
`;
}
