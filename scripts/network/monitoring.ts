import { stringify } from "yaml";
import type { DerivedFile } from "./folder.ts";
import { METRICS_PATH } from "./goquorum.ts";
import type { Network } from "./network-file.ts";

const targetsFile = ({ plan }: Pick<Network, "plan">): string => `${plan.engine}-targets.json`;

/** Formats the targets of all nodes for Prometheus's file-based discovery. */
function targetsText({ hosts }: Network): string {
  const targets = hosts.map(({ name, address, metricsPort, validator }) => ({
    targets: [`${address}:${metricsPort}`],
    labels: { node: name, validator },
  }));
  return `${JSON.stringify(targets, null, 2)}\n`;
}

/** Formats the scrape configuration of Prometheus for these targets. */
function prometheusText(network: Network): string {
  const { engine } = network.plan;
  const path = engine === "besu" ? {} : { metrics_path: METRICS_PATH };
  return stringify({
    scrape_configs: [{ job_name: engine, ...path, file_sd_configs: [{ files: [targetsFile(network)] }] }],
  });
}

/** Returns the files of the monitoring. */
export function monitoringFiles(network: Network): DerivedFile[] {
  return [
    { path: `monitoring/${targetsFile(network)}`, content: targetsText(network) },
    { path: "monitoring/prometheus.yml", content: prometheusText(network) },
  ];
}
