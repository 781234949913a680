import { stringify } from "yaml";
import type { Network } from "./network-file.ts";

const TARGETS_FILE = "besu-targets.json";

/** Formats the targets of all nodes for Prometheus's file-based discovery. */
export function targetsText({ hosts }: Network): string {
  const targets = hosts.map(({ name, address, metricsPort, validator }) => ({
    targets: [`${address}:${metricsPort}`],
    labels: { node: name, validator },
  }));
  return `${JSON.stringify(targets, null, 2)}\n`;
}

/** Formats the scrape configuration of Prometheus for these targets. */
export function prometheusText(): string {
  return stringify({ scrape_configs: [{ job_name: "besu", file_sd_configs: [{ files: [TARGETS_FILE] }] }] });
}

export const MONITORING_FILES = {
  targets: `monitoring/${TARGETS_FILE}`,
  prometheus: "monitoring/prometheus.yml",
} as const;
