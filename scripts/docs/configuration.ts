import { Environment, GROUPS } from "../../server/config/environment.ts";

/** Returns the tables of docs/configuration.md, in Markdown. */
export function configurationTables(): string {
  const defaults: Record<string, unknown> = Environment.parse({});
  const tables = Object.entries(GROUPS).map(([heading, variables]) => {
    const rows = Object.entries(variables).map(([name, schema]) => {
      const { description, unset } = schema.meta() ?? {};
      const value = typeof unset === "string" ? unset : `\`${String(defaults[name])}\``;
      return `| \`${name}\` | ${description} | ${value} |`;
    });
    return [`## ${heading}`, "", "| Variable | Meaning | When unset |", "|---|---|---|", ...rows].join("\n");
  });
  return tables.join("\n\n");
}
