import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { connectNodes, fetchChainId, shownAddress } from "../../server/chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { parseConfig } from "../../server/config/config.ts";
import { embeddedChainUrl } from "../../server/config/embedded-chain-url.ts";
import { readEnv } from "../../server/config/environment.ts";
import { SealbookError } from "../../server/errors.ts";
import { parseValidators } from "../../verifier/verify.mjs";
import { CommandFailure } from "./run-command.ts";
import { verifyFiles, type VerifyReport } from "./verify-files.ts";
import { findFiles } from "./walk.ts";

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

/** Queries of the verifier to a node. */
interface Node {
  readonly query: (method: string, parameters: readonly unknown[]) => Promise<unknown>;
  /** Why the node does not respond. */
  readonly failure: () => string | undefined;
  close(): void;
}

/**
 * Verifies files, and all files in folders, against their bundles.
 * @throws CommandFailure when there is no file
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
    ...(validators === undefined ? {} : { validators: parseValidators(await readFile(validators, "utf8")) }),
    ...(node === undefined ? {} : { node: node.query }),
  };
  try {
    const nodeFailure = (): string | undefined => node?.failure();
    return await verifyFiles(found, { directory, trust, nodeFailure, anyId, concurrency });
  } finally {
    node?.close();
  }
}

/** Connects to nodes, with the TLS settings of the environment. After a failure all queries fail at once. */
function nodeAt(address: string): Node {
  const secured = Object.entries(readEnv()).filter(([name]) => name.startsWith("RPC_TLS_"));
  const { node } = parseConfig({ ...Object.fromEntries(secured), RPC_URL: address }, { relays: false }).chain;
  const urls = node.kind === "remote" ? node.urls : ([address] as const);
  const tls = node.kind === "remote" ? peerTlsOptions(node.tls, NODE) : {};
  let failure: string | undefined;
  let connection: Promise<Rpc> | undefined;
  const connect = async (): Promise<Rpc> => connectNodes(urls, await fetchChainId(urls, tls), { tls });
  return {
    async query(method, parameters) {
      if (failure !== undefined) throw new Error(failure);
      try {
        return await (await (connection ??= connect())).call(method, parameters);
      } catch (error) {
        if (error instanceof SealbookError && error.code === "chain_unavailable")
          failure = `not checked against the chain: the node at ${urls.map(shownAddress).join(", ")} does not respond`;
        throw error;
      }
    },
    failure: () => failure,
    close: () =>
      void connection?.then(
        (rpc) => rpc.close(),
        () => undefined,
      ),
  };
}
