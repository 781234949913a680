import { open } from "node:fs/promises";
import type { EmbeddedLog } from "../chain/embedded/embedded-log.ts";
import { SealbookError } from "../errors.ts";

const HIDDEN = "***";

/** Patterns of secrets in logs of nodes. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/giu, `$1${HIDDEN}@`],
  [/\b(bearer|basic)\s+[\w.~+/=-]+/giu, `$1 ${HIDDEN}`],
  [
    /\b([\w-]*(?:password|passwd|passphrase|secret|token|mnemonic|seed phrase|api[-_ ]?key|private[-_ ]?key|auth(?:orization)?))(["']?\s*[:=]\s*)(?!(?:bearer|basic)\s)("[^"]*"|'[^']*'|\S+)/giu,
    `$1$2${HIDDEN}`,
  ],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/gu, HIDDEN],
  [/\benode:\/\/[0-9a-f]+/giu, `enode://${HIDDEN}`],
];

/**
 * Removes secrets from a text.
 * @param secrets Known ones, which are removed in upper and lower case
 */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) {
    const bare = secret.replace(/^0x/iu, "");
    // Very short ones would remove too much of the text.
    if (bare.length >= 6)
      redacted = redacted.replace(new RegExp(bare.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&"), "gi"), HIDDEN);
  }
  for (const [pattern, replacement] of PATTERNS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}

const BYTES = 64 * 1024;
const LINES = 200;

/**
 * Returns a reader of the newest lines of the node's log, without secrets.
 * @param embedded Log of the embedded chain
 * @param secrets Of this server; requests can have carried them to the node
 * @returns `undefined` without a known log
 */
export function nodeLogReader(
  nodeLogFile: string | undefined,
  embedded: EmbeddedLog | undefined,
  secrets: readonly string[],
): (() => Promise<readonly string[]>) | undefined {
  if (nodeLogFile === undefined && embedded === undefined) return undefined;
  return async () => {
    const lines = nodeLogFile === undefined ? (embedded?.lines() ?? []) : await linesOf(nodeLogFile);
    return redact(lines.slice(-LINES).join("\n"), secrets)
      .split("\n")
      .filter((line) => line !== "");
  };
}

async function linesOf(file: string): Promise<string[]> {
  try {
    return await lastLines(file, BYTES);
  } catch (cause) {
    throw new SealbookError("internal", "NODE_LOG_FILE cannot be read", { cause });
  }
}

/** Reads the last whole lines of a text file. */
async function lastLines(file: string, bytes: number): Promise<string[]> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - bytes);
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(Math.min(size, bytes)),
      0,
      Math.min(size, bytes),
      from,
    );
    const lines = buffer.toString("utf8", 0, bytesRead).split(/\r?\n/u);
    // The first line may lack its beginning; the text after the last line break is empty.
    return lines.slice(from > 0 ? 1 : 0).filter((line) => line !== "");
  } finally {
    await handle.close();
  }
}
