import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { connectNodes, fetchChainId, shownAddress } from "../../server/chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { parseConfig } from "../../server/config/config.ts";
import { embeddedChainUrl } from "../../server/config/embedded-chain-url.ts";
import { readEnv } from "../../server/config/environment.ts";
import { SealbookError } from "../../server/errors.ts";
import { parseValidators, type VerifyOptions } from "../../verifier/verify.mjs";
import { reasonOf } from "./reason.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { verifyFiles, type VerifyReport } from "./verify-files.ts";
import { findFiles } from "./files.ts";

const BAD_USAGE = 2;

export interface VerifyNamedOptions {
  /** Folder of the bundles. */
  readonly proofs: string;
  /** The id of the issuer's key. */
  readonly trustKey?: string;
  /** File with the addresses of the chain's validators. */
  readonly validators?: string;
  /** JSON-RPC addresses of the chain's nodes; without any trust option the embedded chain's. */
  readonly rpc?: string;
  readonly anyId?: true;
  readonly concurrency: number;
}

/**
 * Verifies files, and all files in folders, against their bundles.
 * @throws CommandFailure when there is no file, or the validators cannot be read
 */
export async function verifyNamed(names: readonly string[], options: VerifyNamedOptions): Promise<VerifyReport> {
  const { proofs, trustKey, validators, rpc, anyId = false, concurrency } = options;
  const directory = resolve(proofs);
  const found = await findFiles(names, process.cwd(), directory);
  if (found.files.length + found.unreadable.length === 0)
    throw new CommandFailure(`${names.join(", ")}: no files found`);
  const isOffline = rpc === undefined && (trustKey !== undefined || validators !== undefined);
  const node = isOffline ? undefined : nodeAt(rpc ?? embeddedChainUrl(readEnv()));
  const trust = {
    ...(trustKey === undefined ? {} : { trustedKey: trustKey }),
    ...(validators === undefined ? {} : { validators: await readValidators(validators) }),
    ...(node === undefined ? {} : { node: node.query }),
  };
  try {
    return await verifyFiles(found, { directory, trust, anyId, concurrency });
  } finally {
    node?.close();
  }
}

async function readValidators(file: string): Promise<string[]> {
  try {
    return parseValidators(await readFile(file, "utf8"));
  } catch (error) {
    throw new CommandFailure(`--validators ${file}: ${reasonOf(error)}`, BAD_USAGE);
  }
}

/** Connects to nodes, with the TLS settings of the environment. Without a response, all further queries fail. */
function nodeAt(address: string): { query: NonNullable<VerifyOptions["node"]>; close(): void } {
  const secured = Object.entries(readEnv()).filter(([name]) => name.startsWith("RPC_TLS_"));
  const { node } = parseConfig({ ...Object.fromEntries(secured), RPC_URL: address }, { relays: false }).chain;
  const urls = node.kind === "remote" ? node.urls : ([address] as const);
  const tls = node.kind === "remote" ? peerTlsOptions(node.tls, NODE) : {};
  let lost: Error | undefined;
  let connection: Promise<Rpc> | undefined;
  const connect = async (): Promise<Rpc> => connectNodes(urls, await fetchChainId(urls, tls), { tls });
  return {
    async query(method, parameters) {
      if (lost !== undefined) throw lost;
      try {
        return await (await (connection ??= connect())).call(method, parameters);
      } catch (error) {
        if (error instanceof SealbookError && error.code === "chain_unavailable")
          lost = new Error(`the node at ${urls.map(shownAddress).join(", ")} does not respond`, { cause: error });
        throw lost ?? error;
      }
    },
    close: () =>
      void connection?.then(
        (rpc) => rpc.close(),
        () => undefined,
      ),
  };
}
