import type { EmbeddedLog } from "./chain/embedded-log.ts";
import type { Config } from "./config/config.ts";
import { redact } from "./domain/chat/redaction.ts";
import { SealbookError } from "./errors.ts";
import { lastLines } from "./files/tail.ts";

const BYTES = 64 * 1024;
const LINES = 200;

/**
 * The newest lines of the log of the chain's node, without secrets.
 * @param embedded What the embedded chain told, when there is one
 * @returns `undefined` when nobody knows where the log is
 */
export function nodeLogReader(config: Config, embedded: EmbeddedLog | undefined): (() => Promise<readonly string[]>) | undefined {
  const { nodeLogFile } = config;
  if (nodeLogFile === undefined && embedded === undefined) return undefined;
  const secrets = secretsOf(config);
  return async () => {
    const lines = nodeLogFile === undefined ? (embedded?.lines() ?? []) : await linesOf(nodeLogFile);
    return redact(lines.slice(-LINES).join("\n"), secrets).split("\n").filter((line) => line !== "");
  };
}

async function linesOf(file: string): Promise<string[]> {
  try {
    return await lastLines(file, BYTES);
  } catch (cause) {
    throw new SealbookError("internal", "NODE_LOG_FILE cannot be read", { cause });
  }
}

/** Those of this server, which a node could have been told. */
function secretsOf({ relayer, administratorKey, telegram, alertWebhookSecret, database, chain }: Config): string[] {
  const addresses = [...(database.kind === "postgres" ? [database.url] : []), ...(chain.kind === "remote" ? chain.urls : [])];
  const passwords = addresses.flatMap((address) => {
    const password = URL.parse(address)?.password ?? "";
    return [password, decodeURIComponent(password)];
  });
  const own = [relayer?.kind === "environment" ? relayer.key : undefined, administratorKey, telegram?.token, alertWebhookSecret];
  return [...own, ...passwords].flatMap((secret) => (secret === undefined || secret === "" ? [] : [secret]));
}
