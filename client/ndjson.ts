const ROWS_AT_ONCE = 1_000;

/** Streams rows as NDJSON. */
export async function* ndjsonOf(rows: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let lines: string[] = [];
  for await (const row of rows) {
    lines.push(`${JSON.stringify(row)}\n`);
    if (lines.length < ROWS_AT_ONCE) continue;
    yield encoder.encode(lines.join(""));
    lines = [];
  }
  if (lines.length > 0) yield encoder.encode(lines.join(""));
}

/** Streams the non-empty lines of a body. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line !== "") yield line;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
