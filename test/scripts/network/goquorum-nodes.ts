import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { genesisExtraData } from "../../../scripts/network/genesis.ts";
import type { Network, NetworkHost } from "../../../scripts/network/network-file.ts";
import { enodeOf } from "../../../scripts/network/node-key.ts";
import type { RpcRequest, Step } from "../../../scripts/network/steps.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";

interface Node {
  readonly host: NetworkHost;
  readonly server: Server;
  isRunning: boolean;
  /** `permissioned-nodes.json` of its data folder: read at each new connection. */
  permitted: ReadonlySet<string>;
  /** `static-nodes.json` at its start, and changes while it runs. */
  readonly static: Set<string>;
  /** Its votes, by the address of the candidate. */
  readonly votes: Map<string, boolean>;
}

const quantity = (value: number): string => `0x${value.toString(16)}`;
const enodeAt = (host: NetworkHost): string => enodeOf(host, host.address);

/**
 * Nodes with the rules of GoQuorum's sources: a connection needs the permission of both sides when it starts and not
 * afterwards, a node connects to its static nodes again by itself, and more than half of the validators decide a vote.
 * Each has an HTTP server with the APIs of the generated command line.
 */
export class GoQuorumNodes {
  readonly #directory: string;
  readonly #network: Network;
  readonly #nodes = new Map<string, Node>();
  /** Both names, in order. */
  readonly #connections = new Set<string>();
  validators: string[];

  /** @param network The network before all changes */
  constructor(directory: string, network: Network) {
    this.#directory = directory;
    this.#network = network;
    this.validators = network.hosts.map(({ validator }) => validator);
  }

  /** Starts a node with the lists in its folder at this moment. */
  async start(host: NetworkHost): Promise<void> {
    const { name } = host;
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        const one = ({ id, method, params }: ParsedJson) => ({
          jsonrpc: "2.0",
          id,
          ...this.#reply(name, method, params),
        });
        response
          .setHeader("Content-Type", "application/json")
          .end(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const lists = await this.#listsOf(name);
    this.#nodes.set(name, {
      host,
      server,
      isRunning: true,
      permitted: lists.permitted,
      static: new Set(lists.static),
      votes: new Map(),
    });
    this.#connect();
  }

  async stop(): Promise<void> {
    for (const { server } of this.#nodes.values()) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${(this.#node(name).server.address() as AddressInfo).port}`;
  }

  /** Names of the nodes that a node is connected to. */
  peersOf(name: string): string[] {
    return [...this.#nodes.keys()].filter((other) => this.#connections.has(pair(name, other))).sort();
  }

  votesOf(name: string): ReadonlyMap<string, boolean> {
    return this.#node(name).votes;
  }

  /** Executes the steps as the data centres are told to. */
  async follow(steps: readonly Step[], hosts: readonly NetworkHost[]): Promise<void> {
    for (const { at, requests, copiesLists, what } of steps) {
      for (const name of at) {
        const host = hosts.find((each) => each.name === name);
        if (what.startsWith("Install ") && host !== undefined) await this.start(host);
        if (what.startsWith("Stop ")) this.#halt(name);
        if (copiesLists === true) this.#node(name).permitted = (await this.#listsOf(name)).permitted;
        for (const request of requests) this.request(name, request);
      }
    }
  }

  /** Executes a request over the node's IPC socket. */
  request(name: string, { method, params }: Pick<RpcRequest, "method" | "params">): void {
    const node = this.#node(name);
    const [subject = "", vote] = params;
    if (method === "istanbul_propose") node.votes.set(String(subject), vote === true);
    if (method === "istanbul_discard") node.votes.delete(String(subject));
    if (method === "admin_addPeer") node.static.add(String(subject));
    if (method === "admin_removePeer") {
      node.static.delete(String(subject));
      for (const other of this.#nodes.values())
        if (enodeAt(other.host) === subject) this.#connections.delete(pair(name, other.host.name));
    }
    this.#connect();
    this.#count();
  }

  #halt(name: string): void {
    this.#node(name).isRunning = false;
    for (const other of this.#nodes.keys()) this.#connections.delete(pair(name, other));
  }

  #connect(): void {
    for (const one of this.#nodes.values()) {
      for (const other of this.#nodes.values()) {
        const [here, there] = [enodeAt(one.host), enodeAt(other.host)];
        const isPermitted = one.permitted.has(there) && other.permitted.has(here);
        if (one.isRunning && other.isRunning && one.static.has(there) && isPermitted)
          this.#connections.add(pair(one.host.name, other.host.name));
      }
    }
  }

  /** Applies the votes that more than half of the validators have. */
  #count(): void {
    const voters = [...this.#nodes.values()].filter(
      ({ host, isRunning }) => isRunning && this.validators.includes(host.validator),
    );
    for (const candidate of new Set(voters.flatMap(({ votes }) => [...votes.keys()]))) {
      for (const joins of [true, false]) {
        const count = voters.filter(({ votes }) => votes.get(candidate) === joins).length;
        if (count <= this.validators.length / 2 || this.validators.includes(candidate) === joins) continue;
        this.validators = joins
          ? [...this.validators, candidate]
          : this.validators.filter((validator) => validator !== candidate);
      }
    }
  }

  async #listsOf(name: string): Promise<{ permitted: ReadonlySet<string>; static: ReadonlySet<string> }> {
    const list = async (file: string): Promise<ReadonlySet<string>> =>
      new Set<string>(JSON.parse(await readFile(join(this.#directory, name, "goquorum", file), "utf8")));
    return { permitted: await list("permissioned-nodes.json"), static: await list("static-nodes.json") };
  }

  #reply(name: string, method: string, [block]: readonly unknown[]): object {
    const { plan, genesis } = this.#network;
    const number = block === "latest" ? 1_000 : Number(block);
    switch (method) {
      case "eth_getBlockByNumber":
        return {
          result: {
            hash: number === 0 ? genesis.hash : `0x${"22".repeat(32)}`,
            number: quantity(number),
            timestamp: quantity(1_800_000_000 + plan.blockPeriodSeconds * number),
            extraData: genesisExtraData("qbft", [...this.validators]),
          },
        };
      case "eth_chainId":
        return { result: quantity(plan.chainId) };
      case "net_peerCount":
        return { result: quantity(this.peersOf(name).length) };
      case "web3_clientVersion":
        return { result: `Geth/${name}/v1.10.3-stable(quorum-v24.4.1)/linux-amd64/go1.19` };
      default:
        return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
    }
  }

  #node(name: string): Node {
    const node = this.#nodes.get(name);
    if (node === undefined) throw new Error(`${name} was never started`);
    return node;
  }
}

function pair(one: string, other: string): string {
  return [one, other].sort().join(" ");
}
