import { join } from "node:path";

const DEPLOY = join(import.meta.dirname, "../../deploy");
/** Alert rules for Prometheus. */
export const RULES = join(DEPLOY, "prometheus/alerts.yml");
/** Their tests, for promtool. */
export const RULE_TESTS = join(DEPLOY, "prometheus/alerts.test.yml");
/** The dashboard for Grafana. */
export const DASHBOARD = join(DEPLOY, "grafana/sealbook.json");

/** All queries of a dashboard. */
export function queriesOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "expr" && typeof value === "string" ? [value] : queriesOf(value),
  );
}
