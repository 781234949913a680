import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../server/kit/program-files.ts";
import { CommandFailure } from "../commands/run-command.ts";

const SEALBOOK = join(ROOT, "scripts/sealbook.ts");

/** Where a release is proved, and the key that it is verified with. */
export interface ProvingServer {
  readonly url: string;
  /** Id of the issuer's key. */
  readonly trustKey: string;
}

/**
 * Proves files and verifies the proofs.
 * @param folder The working directory: ids of documents are paths in it
 * @throws CommandFailure when a file has no proof, or is not verified
 */
export function proveFiles(folder: string, files: readonly string[], idPrefix: string, server: ProvingServer): void {
  const prove = ["prove", ...files, "--url", server.url, "--out", "proofs", "--id-prefix", idPrefix];
  const verify = ["verify", ...files, "--proofs", "proofs", "--trust-key", server.trustKey, "--any-id"];
  // The key alone decides: a node of the environment can be of another chain.
  const { RPC_URL: _, ...env } = process.env;
  for (const args of [prove, verify]) {
    const { status, error } = spawnSync(process.execPath, [SEALBOOK, ...args], { cwd: folder, env, stdio: "inherit" });
    if (error !== undefined) throw error;
    if (status !== 0) throw new CommandFailure(`${args[0]} failed`);
  }
}

/** Runs an own server with an embedded chain while `use` runs. */
export async function withOwnServer(use: (server: ProvingServer) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealbook-release-"));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: folder, PORT: "0", CHAIN_PORT: "0" };
  const server = spawn(process.execPath, [SEALBOOK, "start"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "exit");
  try {
    const url = await addressOf(server);
    const keys = execFileSync(process.execPath, [SEALBOOK, "issuer", "list"], { env, encoding: "utf8" });
    use({ url, trustKey: keys.split(" ")[0] ?? "" });
  } finally {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    const url = /listens on ([^\s"]+)/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the server did not start: ${text}`);
}
