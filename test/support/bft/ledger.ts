import { rpcCall } from "../rpc.ts";
import { type Sealing, sealBlock } from "../bft-chain.ts";
import type { ParsedJson } from "../parsed-json.ts";
import type { Agreement } from "./consensus.ts";

const HASH = /0x[0-9a-f]{64}/g;
const MIX_HASH = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365";

/**
 * The one chain of a network: Anvil executes the transactions, and its blocks get the headers that the network's
 * validators would have made of them. Anvil's own block hashes are never visible: they are replaced by the sealed
 * block's in every request and response.
 */
export class Ledger {
  readonly #url: string;
  readonly #sealing: Pick<Sealing, "protocol" | "validators">;
  /** By number. */
  readonly #blocks: Record<string, unknown>[] = [];
  /** By Anvil's hash, and by the sealed block's. */
  readonly #sealed = new Map<string, string>();
  readonly #inner = new Map<string, string>();
  readonly #blockPeriod: number;
  #time = 0;
  /** Whether Anvil has the next block already. */
  #isFilled = false;

  /** @param blockPeriod Milliseconds */
  constructor(url: string, sealing: Pick<Sealing, "protocol" | "validators">, blockPeriod: number) {
    this.#url = url;
    this.#sealing = sealing;
    this.#blockPeriod = blockPeriod;
  }

  /** Returns the number of the newest block. */
  get head(): number {
    return this.#blocks.length - 1;
  }

  async start(): Promise<void> {
    await rpcCall(this.#url, "evm_setAutomine", false);
    // The first block has no seals.
    await this.#add(0, 0, []);
  }

  /** Fills the next block: later transactions miss it. Nodes do not see it before its agreement. */
  async fill(): Promise<void> {
    if (this.#isFilled) return;
    // A header is at least one period younger than its parent.
    const least = this.#time + Math.floor(this.#blockPeriod / 1000);
    await rpcCall(this.#url, "evm_mine", Math.max(least, Math.floor(Date.now() / 1000)));
    this.#isFilled = true;
  }

  /** Publishes the block of an agreement. */
  async commit({ number, round, proposer, signers }: Agreement): Promise<void> {
    await this.fill();
    await this.#add(
      number,
      round,
      signers.map(({ key }) => key),
      proposer.address,
    );
    this.#isFilled = false;
  }

  /** Returns a header in the network's form. */
  header(number: number): Record<string, unknown> | undefined {
    return this.#blocks[number];
  }

  /** Queries Anvil, with the hashes of the sealed blocks. */
  async call(method: string, params: readonly unknown[]): Promise<ParsedJson> {
    const parameters: unknown[] = JSON.parse(this.#replaced(JSON.stringify(params), this.#inner));
    const response = JSON.parse(
      this.#replaced(JSON.stringify((await rpcCall(this.#url, method, ...parameters)) ?? null), this.#sealed),
    );
    return method.startsWith("eth_getBlockBy") && response !== null
      ? { ...response, ...this.#blocks[Number(response.number)] }
      : response;
  }

  async #add(number: number, round: number, signers: Sealing["signers"], miner?: string): Promise<void> {
    const inner = await rpcCall(this.#url, "eth_getBlockByNumber", `0x${number.toString(16)}`, false);
    this.#time = Number(inner.timestamp);
    const parentHash = this.#blocks[number - 1]?.["hash"] ?? inner.parentHash;
    const { transactions: _, uncles: __, ...header } = inner;
    const block = {
      ...header,
      parentHash,
      miner: miner ?? inner.miner,
      difficulty: "0x1",
      totalDifficulty: `0x${(number + 1).toString(16)}`,
      nonce: "0x0000000000000000",
      mixHash: MIX_HASH,
    };
    const sealed = sealBlock(block, { ...this.#sealing, round, signers });
    this.#sealed.set(inner.hash, String(sealed["hash"]));
    this.#inner.set(String(sealed["hash"]), inner.hash);
    this.#blocks.push(sealed);
  }

  #replaced(text: string, names: ReadonlyMap<string, string>): string {
    return text.replaceAll(HASH, (hash) => names.get(hash) ?? hash);
  }
}
