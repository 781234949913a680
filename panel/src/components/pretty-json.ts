const WIDTH = 64;

/** JSON, indented; what fits on a line stays on one. */
export function prettyJson(value: unknown, indent = ""): string {
  const short = onOneLine(value);
  if (typeof value !== "object" || value === null || (indent !== "" && indent.length + short.length <= WIDTH)) return short;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = Array.isArray(value)
    ? value.map((item) => prettyJson(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${prettyJson(item, inner)}`);
  if (items.length === 0) return short;
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const items = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${onOneLine(item)}`);
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}
