import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "./config.ts";
import type { EnvironmentVariables } from "./environment.ts";

/** File with the address of a running embedded chain, and the password with which it takes transactions. */
export function embeddedChainUrlFile(chainDirectory: string): string {
  return join(chainDirectory, "rpc-url");
}

/**
 * Returns the JSON-RPC address of the embedded chain of a server on this machine: at `CHAIN_PORT` when it names a port,
 * else the address that the server of `DATA_DIR` has written to a file, else the default port.
 * @throws SealbookError `config_invalid`
 */
export function embeddedChainUrl({ CHAIN_PORT, DATA_DIR }: EnvironmentVariables): string {
  const given = {
    ...(CHAIN_PORT === undefined ? {} : { CHAIN_PORT }),
    ...(DATA_DIR === undefined ? {} : { DATA_DIR }),
  };
  const { node } = parseConfig(given, { relays: false }).chain;
  if (node.kind !== "embedded") throw new Error("without RPC_URL there is the embedded chain");
  const file = embeddedChainUrlFile(node.directory);
  const isNamed = CHAIN_PORT !== undefined && node.port !== 0;
  if (isNamed || !existsSync(file)) return `http://127.0.0.1:${node.port}`;
  return new URL(readFileSync(file, "utf8")).origin;
}
