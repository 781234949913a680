import { resolve } from "node:path";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import { parseConfig } from "../../server/config/config.ts";
import { embeddedChainUrl } from "../../server/config/embedded-chain-url.ts";
import { readEnv } from "../../server/config/environment.ts";
import { chainChecker } from "./chain-checker.ts";
import { CommandFailure } from "./run-command.ts";
import { serverChecker } from "./server-checker.ts";
import { proofClient } from "./server-client.ts";
import { verifyAll, type VerifyReport } from "./verify-run.ts";
import { findFiles } from "./walk.ts";

/** Short, because a verification can be repeated at any time. */
const RETRY_FOR_MILLISECONDS = 2_000;

export interface VerifyOptions {
  /** Address of the server; queried only for files without a proof file. */
  readonly url: string;
  /** JSON-RPC addresses of the chain's nodes; the embedded chain's when unset. */
  readonly rpc?: string;
  /** Folder of the proofs. */
  readonly proofs: string;
  readonly serverOnly?: true;
  readonly anyId?: true;
  readonly concurrency: number;
}

/**
 * Verifies files, and all files in folders, against their proofs and the chain.
 * @throws CommandFailure when there is no file
 */
export async function verifyNamed(names: readonly string[], options: VerifyOptions): Promise<VerifyReport> {
  const directory = resolve(options.proofs);
  const found = await findFiles(names, process.cwd(), directory);
  if (found.files.length + found.unreadable.length === 0)
    throw new CommandFailure(`${names.join(", ")}: no files found`);
  const server = serverChecker(proofClient(options.url, { retryForMilliseconds: RETRY_FOR_MILLISECONDS }));
  const chain = openChecker(options.rpc ?? embeddedChainUrl(readEnv()));
  const checker = options.serverOnly === true ? server : chain;
  try {
    const settings = { directory, checker, server, anyId: options.anyId === true };
    return await verifyAll(found, settings, options.concurrency);
  } finally {
    chain.close();
  }
}

export function isAllVerified({ totals }: VerifyReport): boolean {
  return totals.verified === totals.files;
}

/** Opens a {@link chainChecker} with the TLS settings of the environment. */
function openChecker(address: string): ReturnType<typeof chainChecker> {
  const secured = Object.entries(readEnv()).filter(([name]) => name.startsWith("RPC_TLS_"));
  const { node } = parseConfig({ ...Object.fromEntries(secured), RPC_URL: address }, { relays: false }).chain;
  return node.kind === "remote" ? chainChecker(node.urls, peerTlsOptions(node.tls, NODE)) : chainChecker([address], {});
}
