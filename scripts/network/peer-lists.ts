import { stringify } from "smol-toml";
import type { NetworkHost } from "./network-file.ts";
import { enodeOf } from "./node-key.ts";

/** Where each node is reached; on one machine they have other addresses than on their own. */
export type AddressOf = (host: NetworkHost) => string;

/** `static-nodes.json`: whom a node connects to, which is everybody else. */
export function staticNodesText(hosts: readonly NetworkHost[], self: NetworkHost, addressOf: AddressOf): string {
  return nodeListText(
    hosts.filter(({ name }) => name !== self.name),
    addressOf,
  );
}

/** `nodes.json`: everybody, for relayers. */
export function nodeListText(hosts: readonly NetworkHost[], addressOf: AddressOf): string {
  return `${JSON.stringify(
    hosts.map((host) => enodeOf(host, addressOf(host))),
    null,
    2,
  )}\n`;
}

/** `permissions_config.toml`: who may connect at all. The same for everybody, so that each can compare it. */
export function permissionsText(hosts: readonly NetworkHost[], addressOf: AddressOf): string {
  return `${stringify({ "nodes-allowlist": hosts.map((host) => enodeOf(host, addressOf(host))) })}\n`;
}
