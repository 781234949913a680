import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import type { RpcRequest, Step } from "../../network/steps.ts";

/** An error response of a node. */
export class Refusal extends Error {}

interface Node {
  readonly enode: string;
  isRunning: boolean;
  allowed: Set<string>;
  static: Set<string>;
  /** Enodes added while it runs; forgotten at a restart. */
  added: Set<string>;
}

/**
 * Nodes with the permissioning of a running Besu: a connection needs both sides, a node connects to its static nodes
 * again by itself, and no static node can be taken off the allow-list while the node runs.
 */
export class PermissionedNodes {
  readonly #directory: string;
  readonly #nodes = new Map<string, Node>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Starts a node, or restarts it, with the lists in its folder at this moment. */
  async start(name: string, enode: string): Promise<void> {
    const folder = join(this.#directory, name, "besu");
    const allowed = parseToml(await readFile(join(folder, "permissions_config.toml"), "utf8"))["nodes-allowlist"];
    const listed: unknown = JSON.parse(await readFile(join(folder, "static-nodes.json"), "utf8"));
    this.#nodes.set(name, {
      enode,
      isRunning: true,
      allowed: new Set(allowed as string[]),
      static: new Set(listed as string[]),
      added: new Set(),
    });
  }

  /** Names of the nodes that a node is connected to. */
  peersOf(name: string): string[] {
    const node = this.#node(name);
    return [...this.#nodes]
      .filter(([other, peer]) => other !== name && peer.isRunning && this.#areConnected(node, peer))
      .map(([other]) => other)
      .sort();
  }

  /** Executes the steps as the data centres are told to. */
  async follow(steps: readonly Step[], enodes: ReadonlyMap<string, string>): Promise<void> {
    for (const { at, requests, restarts, what } of steps) {
      for (const name of at) {
        const enode = enodes.get(name) ?? "";
        if (what.startsWith("Install ") || restarts === true) await this.start(name, enode);
        if (what.startsWith("Stop ")) this.#node(name).isRunning = false;
        for (const request of requests) this.request(name, request);
      }
    }
  }

  /** @throws Refusal */
  request(name: string, { method, params }: Pick<RpcRequest, "method" | "params">): void {
    const node = this.#node(name);
    const [first] = params.flat().map(String);
    if (method === "perm_addNodesToAllowlist") node.allowed.add(first ?? "");
    if (method === "admin_addPeer") node.added.add(first ?? "");
    if (method === "perm_removeNodesFromAllowlist") {
      if (node.static.has(first ?? "")) throw new Refusal("Cannot remove a static node from the allowlist");
      node.allowed.delete(first ?? "");
    }
  }

  #areConnected(one: Node, other: Node): boolean {
    const mutuallyAllowed = one.allowed.has(other.enode) && other.allowed.has(one.enode);
    const seeks = (from: Node, to: Node): boolean => from.static.has(to.enode) || from.added.has(to.enode);
    return mutuallyAllowed && (seeks(one, other) || seeks(other, one));
  }

  #node(name: string): Node {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`${name} was never started`);
    return node;
  }
}
