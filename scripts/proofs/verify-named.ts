import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { embeddedChainUrl } from "../../server/config/embedded-chain-url.ts";
import { readEnv } from "../../server/config/environment.ts";
import { fileText, parseValidators } from "../../verifier/verify.mjs";
import { reasonOf } from "./reason.ts";
import { BAD_USAGE, CommandFailure } from "../commands/run-command.ts";
import { verifyFiles, type VerifyReport } from "./verify-files.ts";
import { filesOrSums } from "./sums.ts";
import { nodeAt } from "./node-query.ts";

export interface VerifyNamedOptions {
  /** Folder of the bundles. */
  readonly proofs: string;
  /** The id of the issuer's key. */
  readonly trustKey?: string;
  /** List of hashes in place of files, such as SHA256SUMS; `-` for the standard input. */
  readonly sums?: string;
  /** File with the addresses of the chain's validators. */
  readonly validators?: string;
  /** JSON-RPC addresses of the chain's nodes; without any trust option the embedded chain's. */
  readonly rpc?: string;
  readonly anyId?: true;
  /** Prefix of the document ids, before the path. */
  readonly idPrefix?: string;
  readonly concurrency: number;
}

/**
 * Verifies files, and all files in folders, against their bundles.
 * @throws CommandFailure when there is no file, or the validators cannot be read
 */
export async function verifyNamed(names: readonly string[], options: VerifyNamedOptions): Promise<VerifyReport> {
  const { proofs, sums, trustKey, validators, rpc, anyId = false, idPrefix = "", concurrency } = options;
  const directory = resolve(proofs);
  const found = await filesOrSums(names, sums, directory);
  const isOffline = rpc === undefined && (trustKey !== undefined || validators !== undefined);
  const node = isOffline ? undefined : nodeAt(rpc ?? embeddedChainUrl(readEnv()));
  const trust = {
    ...(trustKey === undefined ? {} : { trustedKey: trustKey }),
    ...(validators === undefined ? {} : { validators: await readValidators(validators) }),
    ...(node === undefined ? {} : { node: node.query }),
  };
  try {
    return await verifyFiles(found, { directory, trust, anyId, idPrefix, concurrency });
  } finally {
    node?.close();
  }
}

async function readValidators(file: string): Promise<string[]> {
  try {
    return parseValidators(fileText(await readFile(file)));
  } catch (error) {
    throw new CommandFailure(`--validators ${file}: ${reasonOf(error)}`, BAD_USAGE);
  }
}
