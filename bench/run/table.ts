import type { Report } from "./report.ts";
import { grouped, type Result } from "./result.ts";

/** Formats the whole run as a Markdown table. */
export function table({ results, failures }: Report): string {
  const rows = [
    ...results.map(({ section, name, value, unit, details, targets = [] }) => [
      section,
      name,
      `${grouped(value)} ${unit}`,
      detailText(details),
      targets.map(({ text }) => text).join("; "),
      targets.map(({ met }) => (met ? "yes" : "**no**")).join("; "),
    ]),
    ...failures.map(({ section, reason }) => [
      section,
      "failed",
      "",
      reason.replaceAll("|", "\\|").replaceAll("\n", " "),
      "",
      "**no**",
    ]),
  ];
  const lines = [["Section", "Measurement", "Figure", "Details", "Target", "Met"], Array(6).fill("---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function detailText(details: Result["details"]): string {
  return Object.entries(details ?? {})
    .map(([key, value]) => {
      const [, name = key, unit = ""] = /^(.*)_([^_]+)$/.exec(key) ?? [];
      return `${name.replaceAll("_", " ")} ${grouped(value)} ${unit}`.trim();
    })
    .join(", ");
}
