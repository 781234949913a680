import { besuCommand, CONFIG_DIRECTORY } from "./besu-config.ts";
import type { Network, NetworkHost } from "./network-file.ts";
import { unitEnd } from "./unit-restrictions.ts";

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
${unitEnd(
  "# Java compiles while it runs: no MemoryDenyWriteExecute. The node keeps its allow-list when it is changed.",
  `ReadWritePaths=${CONFIG_DIRECTORY}/permissions_config.toml`,
)}`;
}
