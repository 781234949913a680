import { id, keccak256, Transaction, ZeroAddress } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { NodeError } from "../../server/chain/rpc/node-error.ts";
import { toQuantity } from "../../server/chain/rpc/rpc.ts";
import { type MadeBlock, type MadeLog, makeBlock, shownBlock } from "../support/made-block.ts";
import type { Random } from "./random.ts";

const MINER = `0x${"aa".repeat(20)}`;
const proofAnchor = INTERFACES.ProofAnchor;
const NO_ROLE = proofAnchor.encodeErrorResult("AccessControlUnauthorizedAccount", [ZeroAddress, id("RELAYER_ROLE")]);

/** A transaction on the chain. */
export interface KnownTransaction {
  readonly raw: string;
  readonly hash: string;
  readonly from: string;
  readonly to: string;
  readonly nonce: number;
  readonly gasPrice: bigint;
  /** What it gives to the anchor contract, `0x` hex; unset when it calls nothing there. */
  readonly anchor: { readonly hash: string; readonly size: number } | undefined;
}

export interface MinedTransaction extends KnownTransaction {
  readonly succeeded: boolean;
}

interface Block extends MadeBlock {
  readonly number: number;
  readonly time: number;
  readonly transactions: readonly MinedTransaction[];
}

/**
 * A chain with one node and the anchor contract on it. Nonces are strict: what comes before its turn waits in the pool,
 * what comes after it is refused. Blocks are final, as on the networks that the relayer is made for.
 */
export class SimulatedChain {
  readonly blocks: Block[] = [];
  /** The number of newest blocks that some responses lack: they come from a lagging node. */
  lag = 0;
  /** Whether the relayers may anchor. */
  roleGiven = true;
  /** What a block asks for a unit of gas, in wei; cheaper transactions wait in the pool. */
  price = 0n;
  /** Blocks to come whose transactions all fail, for no reason that the contract gives. */
  blocksThatFail = 0;
  readonly #pool = new Map<string, KnownTransaction>();
  readonly #nonces = new Map<string, number>();
  readonly #parsed = new Map<string, KnownTransaction>();
  readonly #taken = new Set<string>();
  /** The contract's storage, by hash. */
  readonly #anchors = new Map<string, readonly [time: number, blockNumber: number, size: number]>();
  /** Refused for what they are, which they stay. */
  readonly #refusedForever = new Set<string>();

  readonly #anchorContract: string;
  readonly #random: Random;

  constructor(anchorContract: string, time: number, random: Random) {
    this.#anchorContract = anchorContract;
    this.#random = random;
    this.mine(time);
  }

  get mined(): MinedTransaction[] {
    return this.blocks.flatMap(({ transactions }) => transactions);
  }

  nonceOf(sender: string): number {
    return this.#nonces.get(sender) ?? 0;
  }

  /** The first nonce of a key that the pool leaves open. */
  freeNonceOf(sender: string): number {
    let nonce = this.nonceOf(sender);
    while (this.#pool.has(`${sender} ${nonce}`)) nonce += 1;
    return nonce;
  }

  mine(time: number): void {
    const transactions: MinedTransaction[] = [];
    for (const { from } of [...this.#pool.values()]) {
      for (let next = this.#takeNext(from); next !== undefined; next = this.#takeNext(from)) {
        const succeeded = next.anchor === undefined || (this.roleGiven && this.blocksThatFail === 0);
        transactions.push({ ...next, succeeded });
      }
    }
    this.blocksThatFail = Math.max(0, this.blocksThatFail - 1);
    const at = { number: this.blocks.length, time: Math.floor(time / 1000) };
    const made = transactions.map((each) => ({ ...each, logs: this.#logs(each, at) }));
    this.blocks.push({
      ...at,
      transactions,
      ...makeBlock({ ...at, miner: MINER, parent: this.blocks.at(-1)?.hash }, made),
    });
  }

  /** The node forgets what it has not mined. */
  dropPool(): void {
    this.#pool.clear();
  }

  /** Puts a transaction into the pool in the place of whatever has its nonce, as a higher fee would. */
  replace(raw: string): void {
    const transaction = this.#parse(raw);
    this.#pool.set(`${transaction.from} ${transaction.nonce}`, transaction);
  }

  /** @throws NodeError as nodes do */
  respond(method: string, parameters: readonly unknown[]): unknown {
    const [first, second] = parameters;
    const lag = this.#random() < 0.5 ? this.lag : 0;
    const shown = this.blocks.slice(0, Math.max(1, this.blocks.length - lag));
    const newest = shown.length - 1;
    switch (method) {
      case "eth_blockNumber":
        return toQuantity(newest);
      case "eth_getTransactionCount":
        return toQuantity(minedUpTo(shown, second).filter(({ from }) => from === first).length);
      case "eth_getBlockByNumber": {
        const block = shown[first === "latest" ? newest : Number(first)];
        return block === undefined ? null : shownBlock(block, second);
      }
      case "eth_getBlockReceipts": {
        const block = shown[Number(first)];
        return block === undefined ? null : block.receipts;
      }
      case "eth_getTransactionReceipt": {
        for (const block of shown) {
          const found = block.receipts.find(({ transactionHash }) => transactionHash === first);
          if (found !== undefined) return found;
        }
        return null;
      }
      case "eth_gasPrice":
        return toQuantity(this.price);
      case "eth_call":
        return this.#call(first);
      case "eth_sendRawTransaction":
        return this.#take(String(first));
      default:
        throw new NodeError(`the method ${method} does not exist`, -32601, undefined);
    }
  }

  /** Refuses a transaction for good, unless the node had it before: then it is no reason to refuse it. */
  refuseForever(raw: string): unknown {
    const { hash, anchor } = this.#parse(raw);
    if (this.#taken.has(hash)) return this.#take(raw);
    // The next block can be that of a node which takes it.
    if (this.#random() < 0.3) this.#offer(raw);
    // What has no content can only be refused for what the node is like now.
    else if (anchor !== undefined) this.#refusedForever.add(hash);
    throw refusal();
  }

  #take(raw: string): string {
    const transaction = this.#parse(raw);
    const { hash, from, nonce } = transaction;
    if (this.#refusedForever.has(hash)) throw refusal();
    if (nonce < this.nonceOf(from)) throw new NodeError("nonce too low", -32000, undefined);
    const pooled = this.#pool.get(`${from} ${nonce}`);
    if (pooled?.hash === hash) throw new NodeError("already known", -32000, undefined);
    const { gasPrice } = transaction;
    if (pooled !== undefined && (gasPrice === 0n || gasPrice * 8n < pooled.gasPrice * 9n))
      throw new NodeError("replacement transaction underpriced", -32000, undefined);
    // The next block can be another node's, which has the version before.
    if (pooled !== undefined && this.#random() < 0.3) return hash;
    // Some nodes keep it until it pays for a block.
    if (gasPrice < this.price && this.#random() < 0.5)
      throw new NodeError("transaction underpriced", -32000, undefined);
    this.#pool.set(`${from} ${nonce}`, transaction);
    this.#taken.add(hash);
    return hash;
  }

  /** Takes a transaction, or not. */
  #offer(raw: string): void {
    try {
      this.#take(raw);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
    }
  }

  /** The event of a transaction that is the first to anchor its hash. */
  #logs({ succeeded, anchor }: MinedTransaction, at: { readonly number: number; readonly time: number }): MadeLog[] {
    if (!succeeded || anchor === undefined || this.#anchors.has(anchor.hash)) return [];
    this.#anchors.set(anchor.hash, [at.time, at.number, anchor.size]);
    return [{ address: this.#anchorContract, ...proofAnchor.encodeEventLog("Anchored", [anchor.hash, anchor.size]) }];
  }

  #call(call: unknown): string {
    const data = typeof call === "object" && call !== null && "data" in call ? String(call.data) : "0x";
    const query = proofAnchor.parseTransaction({ data });
    if (query?.name === "anchorOf")
      return proofAnchor.encodeFunctionResult("anchorOf", [this.#anchors.get(String(query.args[0])) ?? [0, 0, 0]]);
    if (!this.roleGiven) throw new NodeError("execution reverted", 3, NO_ROLE);
    return "0x";
  }

  #takeNext(sender: string): KnownTransaction | undefined {
    const nonce = this.nonceOf(sender);
    const key = `${sender} ${nonce}`;
    const next = this.#pool.get(key);
    if (next === undefined || next.gasPrice < this.price) return undefined;
    this.#pool.delete(key);
    this.#nonces.set(sender, nonce + 1);
    return next;
  }

  #parse(raw: string): KnownTransaction {
    const known = this.#parsed.get(raw);
    if (known !== undefined) return known;
    const { from, to, nonce, data, gasPrice } = Transaction.from(raw);
    const call = to === this.#anchorContract ? proofAnchor.parseTransaction({ data }) : null;
    const anchor =
      call === null ? undefined : { hash: String(call.args[0]), size: call.args.length > 1 ? Number(call.args[1]) : 0 };
    const fields = { raw, hash: keccak256(raw), from: from ?? "", to: to ?? "", nonce, anchor };
    const parsed = { ...fields, gasPrice: gasPrice ?? 0n };
    this.#parsed.set(raw, parsed);
    return parsed;
  }
}

/** What was mined up to a block, in the form of a node's response. */
function minedUpTo(shown: readonly Block[], upTo: unknown): MinedTransaction[] {
  if (upTo !== "latest" && Number(upTo) >= shown.length) throw new NodeError("header not found", -32000, undefined);
  const blocks = upTo === "latest" ? shown : shown.slice(0, Number(upTo) + 1);
  return blocks.flatMap(({ transactions }) => transactions);
}

function refusal(): NodeError {
  return new NodeError("intrinsic gas too low", -32000, undefined);
}
