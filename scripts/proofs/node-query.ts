import { Option } from "commander";
import { connectNodes, fetchChainId, shownAddress } from "../../server/chain/rpc/connect.ts";
import { NODE, peerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import { parseConfig } from "../../server/config/config.ts";
import { readEnv } from "../../server/config/environment.ts";
import { SealbookError } from "../../server/errors.ts";
import { parseNodeUrls } from "./options.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";

/** Calls a method of a node's JSON-RPC. */
export type NodeQuery = (method: string, parameters: readonly unknown[]) => Promise<unknown>;

/** `--rpc` */
export function rpcOption(): Option {
  return new Option("--rpc <address>", "JSON-RPC address of a node of the chain")
    .env("RPC_URL")
    .argParser(parseNodeUrls);
}

/**
 * Connects to nodes, with the TLS settings of the environment. Without a response, all further queries fail.
 * @param address Addresses of nodes, separated by commas
 */
export function nodeAt(address: string): { readonly query: NodeQuery; close(): void } {
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
        if (error instanceof SealbookError && error.code === "chain_unavailable") {
          const node = `the node at ${urls.map(shownAddress).join(", ")}`;
          const named = error.message.replace("the chain's node", node);
          const message = named === error.message ? `${node}: ${error.message}` : named;
          lost = new SealbookError("chain_unavailable", message, { cause: error });
        }
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
