import { stringify } from "smol-toml";
import type { NetworkHost } from "./network-file.ts";
import { enodeOf } from "./node-key.ts";

/** Returns the address of a node; nodes on one machine have other addresses than on separate machines. */
export type AddressOf = (host: NetworkHost) => string;

/** Formats `static-nodes.json`: the peers of a node, which are all other nodes. */
export function staticNodesText(hosts: readonly NetworkHost[], self: NetworkHost, addressOf: AddressOf): string {
  return nodeListText(
    hosts.filter(({ name }) => name !== self.name),
    addressOf,
  );
}

/** Formats `nodes.json`: all nodes, for relayers. */
export function nodeListText(hosts: readonly NetworkHost[], addressOf: AddressOf): string {
  return `${JSON.stringify(
    hosts.map((host) => enodeOf(host, addressOf(host))),
    null,
    2,
  )}\n`;
}

/**
 * Formats `permissions_config.toml`: the permitted peers. The file is the same on all nodes, so that copies can be
 * compared.
 */
export function permissionsText(hosts: readonly NetworkHost[], addressOf: AddressOf): string {
  return `${stringify({ "nodes-allowlist": hosts.map((host) => enodeOf(host, addressOf(host))) })}\n`;
}
