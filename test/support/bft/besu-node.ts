import { keccak256, type SigningKey, Transaction } from "ethers";
import type { BftProtocol } from "../../../server/chain/evidence/consensus-seals.ts";
import type { ParsedJson } from "../parsed-json.ts";
import type { Validator } from "./consensus.ts";
import type { Ledger } from "./ledger.ts";

/** An error response of a node. */
export class RpcRefused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A node's view of its network. */
export interface Surroundings {
  readonly ledger: Ledger;
  readonly chainId: number;
  readonly protocol: BftProtocol;
  readonly validators: readonly Validator[];
  /** Returns the validators that are connected to the node now, including itself. */
  around(validator: Validator): readonly Validator[];
  readonly quorum: number;
  /** Connected nodes that are on no list. */
  readonly unlistedPeers: readonly SigningKey[];
}

const NOT_FOUND = new RpcRefused(-32601, "Method not found");
const NOT_ENABLED = new RpcRefused(-32604, "Method not enabled");
const CLIENT = "besu/v25.8.0/linux-x86_64/openjdk-java-21";
const TAGS = new Set(["latest", "pending", "safe", "finalized"]);
/** Position of a method's block parameter. */
const BLOCK_PARAMETER: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
};

/** The RPC of one validator's node, with the responses of Besu. */
export class BesuNode {
  readonly validator: Validator;
  readonly #network: Surroundings;
  /** Disabled methods, by name or by the part before the underscore. */
  readonly disabled = new Set<string>();
  /** The lag in blocks. */
  lag = 0;
  /** Its newest block while it receives none. */
  #frozen: number | undefined;
  /** Raw transactions that were not sent to any peer yet. */
  #kept: string[] = [];

  constructor(validator: Validator, network: Surroundings) {
    this.validator = validator;
    this.#network = network;
  }

  /** Whether its connected validators form a quorum. */
  get isConnected(): boolean {
    return this.#network.around(this.validator).length >= this.#network.quorum;
  }

  /** Returns the number of its newest block. */
  get head(): number {
    return Math.max(0, this.#frozen ?? this.#network.ledger.head - this.lag);
  }

  /** Called after every change of the connections. */
  async reconnect(): Promise<void> {
    const most = Math.max(...this.#network.validators.map((validator) => this.#network.around(validator).length));
    // Without any quorum there are no blocks to miss.
    const misses = !this.isConnected && most >= this.#network.quorum;
    this.#frozen = misses ? (this.#frozen ?? this.head) : undefined;
    if (misses) return;
    const kept = this.#kept;
    this.#kept = [];
    for (const raw of kept) await this.#network.ledger.call("eth_sendRawTransaction", [raw]).catch(() => undefined);
  }

  enodeOf(key: SigningKey): string {
    return `enode://${key.publicKey.slice(4)}@127.0.0.1:30303`;
  }

  async respond(method: string, params: readonly unknown[]): Promise<unknown> {
    const [prefix = ""] = method.split("_");
    if (this.disabled.has(method)) throw NOT_FOUND;
    if (this.disabled.has(prefix)) throw NOT_ENABLED;
    switch (method) {
      case "web3_clientVersion":
        return CLIENT;
      case "eth_chainId":
        return quantity(this.#network.chainId);
      case "eth_blockNumber":
        return quantity(this.head);
      case "eth_syncing":
        return this.#syncing();
      case "eth_sendRawTransaction":
        return this.#take(String(params[0]));
      case "net_peerCount":
        return quantity(this.#peers().length);
      case "net_enode":
        return this.enodeOf(this.validator.key);
      case "net_listening":
        return true;
      case "admin_nodeInfo":
        return {
          enode: this.enodeOf(this.validator.key),
          listenAddr: "127.0.0.1:30303",
          ip: "127.0.0.1",
          name: CLIENT,
          id: this.validator.key.publicKey.slice(4),
          ports: { discovery: 30303, listener: 30303 },
          protocols: {
            eth: {
              difficulty: this.head + 1,
              genesis: this.#network.ledger.header(0)?.["hash"],
              head: this.#network.ledger.header(this.head)?.["hash"],
              network: this.#network.chainId,
            },
          },
        };
      case "admin_peers":
        return this.#peers().map((key) => this.#peer(key));
      case "eth_getLogs":
        return this.#logs(params[0]);
      case "eth_getTransactionReceipt":
        return this.#ifSeen(await this.#network.ledger.call(method, params), null);
      case "eth_getTransactionByHash":
        return this.#ifSeen(await this.#network.ledger.call(method, params), {
          blockHash: null,
          blockNumber: null,
          transactionIndex: null,
        });
      case "eth_getBlockByHash":
        return this.#ifSeen(await this.#network.ledger.call(method, params), null, "number");
    }
    if (prefix === "ibft" || prefix === "qbft") return this.#consensus(prefix, method, params);
    const parameterIndex = BLOCK_PARAMETER[method];
    return parameterIndex === undefined
      ? this.#network.ledger.call(method, params)
      : this.#asOf(method, params, parameterIndex);
  }

  /** Returns the response of a node without the newest blocks. */
  async #asOf(method: string, params: readonly unknown[], parameterIndex: number): Promise<unknown> {
    const requested = params[parameterIndex] ?? "latest";
    const number =
      requested === "earliest"
        ? 0
        : typeof requested === "string" && TAGS.has(requested)
          ? this.head
          : Number(requested);
    if (number > this.head) {
      if (method.startsWith("eth_getBlock")) return null;
      throw new RpcRefused(-32000, "Block not found");
    }
    // Pending transactions count among the nonces.
    const isPool = method === "eth_getTransactionCount" && requested === "pending" && this.isConnected;
    return this.#network.ledger.call(method, params.with(parameterIndex, isPool ? "pending" : quantity(number)));
  }

  async #logs(filter: unknown): Promise<unknown> {
    const { fromBlock = "latest", toBlock = "latest", ...rest } = filter as Record<string, string>;
    if (rest["blockHash"] !== undefined) return this.#network.ledger.call("eth_getLogs", [rest]);
    const at = (block: string): number => (block === "earliest" ? 0 : TAGS.has(block) ? this.head : Number(block));
    const [from, to] = [at(fromBlock), Math.min(at(toBlock), this.head)];
    return from > to
      ? []
      : this.#network.ledger.call("eth_getLogs", [{ ...rest, fromBlock: quantity(from), toBlock: quantity(to) }]);
  }

  #ifSeen(response: ParsedJson, otherwise: object | null, field = "blockNumber"): unknown {
    if (response === null || response[field] === null || Number(response[field]) <= this.head) return response;
    return otherwise === null ? null : { ...response, ...otherwise };
  }

  async #take(raw: string): Promise<string> {
    const hash = keccak256(raw);
    if (!this.isConnected) {
      // A node accepts transactions that are valid in its own state, and sends them to its peers once it has some.
      this.#kept.push(raw);
      return hash;
    }
    const { from } = Transaction.from(raw);
    const mined = await this.#network.ledger.call("eth_getTransactionByHash", [hash]);
    if (
      this.lag > 0 &&
      mined !== null &&
      mined.blockNumber !== null &&
      from !== null &&
      Number(mined.blockNumber) > this.head
    )
      return hash;
    try {
      return await this.#network.ledger.call("eth_sendRawTransaction", [raw]);
    } catch (error) {
      const reason = String(error);
      if (/nonce too low/i.test(reason)) throw new RpcRefused(-32001, "Nonce too low");
      if (/already (?:imported|known)/i.test(reason)) throw new RpcRefused(-32000, "Known transaction");
      throw new RpcRefused(-32000, reason);
    }
  }

  #syncing(): unknown {
    if (!this.isConnected || this.lag === 0) return false;
    return {
      startingBlock: "0x0",
      currentBlock: quantity(this.head),
      highestBlock: quantity(this.#network.ledger.head),
    };
  }

  #peers(): readonly SigningKey[] {
    const others = this.#network.around(this.validator).filter((validator) => validator !== this.validator);
    return [...others.map(({ key }) => key), ...this.#network.unlistedPeers];
  }

  #peer(key: SigningKey): object {
    const head = String(this.#network.ledger.header(this.head)?.["hash"]);
    return {
      version: "0x5",
      name: CLIENT,
      caps: ["eth/68", this.#network.protocol === "ibft2" ? "IBF/1" : "istanbul/100"],
      network: { localAddress: "127.0.0.1:30303", remoteAddress: "127.0.0.1:40404", inbound: false },
      port: "0x765f",
      id: `0x${key.publicKey.slice(4)}`,
      protocols: { eth: { difficulty: quantity(this.head + 1), head, version: 68 } },
      enode: this.enodeOf(key),
    };
  }

  #consensus(prefix: string, method: string, params: readonly unknown[]): unknown {
    if (prefix !== (this.#network.protocol === "ibft2" ? "ibft" : "qbft")) throw NOT_FOUND;
    const addresses = this.#network.validators.map(({ address }) => address);
    if (/_getValidatorsByBlock(Number|Hash)$/.test(method)) return addresses;
    if (method.endsWith("_getPendingVotes")) return {};
    if (!method.endsWith("_getSignerMetrics")) throw NOT_FOUND;
    const number = (requested: unknown, otherwise: number): number =>
      requested === undefined || TAGS.has(String(requested)) ? otherwise : Number(requested);
    const [from, to] = [number(params[0], Math.max(0, this.head - 100)), number(params[1], this.head)];
    if (from >= to) throw new RpcRefused(-32602, "Invalid params");
    const metrics = new Map(
      addresses.map((address) => [address, { address, proposedBlockCount: 0, lastProposedBlockNumber: 0 }]),
    );
    // The last block of the range does not count.
    for (let block = from; block < to; block += 1) {
      const miner = String(this.#network.ledger.header(block)?.["miner"]);
      const metric = metrics.get(miner) ?? { address: miner, proposedBlockCount: 0, lastProposedBlockNumber: 0 };
      metrics.set(miner, {
        ...metric,
        proposedBlockCount: metric.proposedBlockCount + 1,
        lastProposedBlockNumber: block,
      });
    }
    return [...metrics.values()].map((metric) => ({
      address: metric.address,
      proposedBlockCount: quantity(metric.proposedBlockCount),
      lastProposedBlockNumber: quantity(metric.lastProposedBlockNumber),
    }));
  }
}

function quantity(value: number): string {
  return `0x${value.toString(16)}`;
}
