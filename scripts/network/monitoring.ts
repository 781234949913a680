import { stringify } from "yaml";
import type { DerivedFile } from "./folder.ts";
import type { Network } from "./network-file.ts";

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
  return stringify({ scrape_configs: [{ job_name: "besu", file_sd_configs: [{ files: [TARGETS_FILE] }] }] });
}

/** Returns the files of the monitoring. */
export function monitoringFiles(network: Network): DerivedFile[] {
  return [
    { path: `monitoring/${TARGETS_FILE}`, content: targetsText(network) },
    { path: "monitoring/prometheus.yml", content: prometheusText() },
  ];
}
