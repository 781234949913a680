import { formatUnits } from "ethers";
import * as z from "zod";
import { BigQuantity, lookUp, query } from "../rpc/query.ts";
import { ifNodeError, type Rpc } from "../rpc/rpc.ts";
import type { NetworkFault } from "../consensus/network-faults.ts";
import type { Address } from "../transaction.ts";
import { fetchNewestBlock } from "../node/node-block.ts";

/** The fee of a transaction for a unit of gas, in wei. */
export interface GasFee {
  readonly kind: "legacy" | "eip1559";
  /** Most that it pays. */
  readonly max: bigint;
  /** Most that it pays above the base fee; all of it for a legacy transaction. */
  readonly tip: bigint;
}

/** A fee for new transactions, and what the chain asks for. */
export interface FeeQuote {
  readonly fee: GasFee;
  /** Base fee of the next block; 0 on a chain without one. */
  readonly baseFee: bigint;
  /** Whether the configuration fixes the fee: then no transaction is replaced. */
  readonly isFixed: boolean;
  /** Most that a replacement may pay. */
  readonly limit: bigint;
  /** Why the fee does not pay for the next block, with the setting to change. */
  readonly fault: string | undefined;
}

/** Nodes replace a pending transaction by one that pays more, of the whole and of the tip: by an eighth in most. */
const LEAST_RISE = 8n;
/** Time without a block after which a transaction with a lower tip than now usual is replaced. */
const SLOW_MILLISECONDS = 60_000;

export function legacyFee(gasPrice: bigint): GasFee {
  return { kind: "legacy", max: gasPrice, tip: gasPrice };
}

/** Returns a fee that is at most a limit. */
function capped(fee: GasFee, limit: bigint): GasFee {
  return { ...fee, max: least(fee.max, limit), tip: least(fee.tip, limit) };
}

/**
 * Returns whether a pending transaction does not pay for the next block any more, or waits long for a tip that is lower
 * than the usual one.
 */
export function isTooLow(fee: GasFee, { fee: usual, baseFee }: FeeQuote, waitedMilliseconds: number): boolean {
  return fee.max < baseFee || (waitedMilliseconds >= SLOW_MILLISECONDS && fee.tip < usual.tip);
}

/**
 * Returns the fee of a replacement: the quoted one, but as much higher as nodes require.
 * @returns `undefined` when that is above the limit, or the fee is fixed
 */
export function replacementFee(before: GasFee, { fee, isFixed, limit }: FeeQuote): GasFee | undefined {
  const max = most(fee.max, raised(before.max));
  const tip = most(fee.tip, raised(before.tip));
  if (isFixed || max > limit || tip > limit) return undefined;
  return fee.kind === "legacy" ? legacyFee(most(max, tip)) : { kind: fee.kind, max: most(max, tip), tip };
}

/**
 * Returns the fee to sign a transaction with again.
 * @param refusal Why a node did not take it
 * @returns `undefined` when it stays as it is
 */
export function nextFee(
  before: GasFee,
  quote: FeeQuote,
  refusal: "underpriced" | "unfunded" | undefined,
  waitedMilliseconds: number,
): GasFee | undefined {
  // No node has it: it can become cheaper.
  if (refusal === "unfunded") return quote.fee.max < before.max ? quote.fee : undefined;
  if (refusal === undefined && !isTooLow(before, quote, waitedMilliseconds)) return undefined;
  return replacementFee(before, quote);
}

function raised(wei: bigint): bigint {
  return wei + (wei + LEAST_RISE - 1n) / LEAST_RISE;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** The rules for the fees of all transactions. */
export interface FeeConfig {
  /** `auto`: EIP-1559 on a chain with a base fee, else legacy transactions. */
  readonly mode: "auto" | "legacy" | "eip1559";
  /** Fixed price of legacy transactions, in wei. */
  readonly gasPrice: bigint | undefined;
  /** Most that a unit of gas may cost, in wei. */
  readonly maxFee: bigint;
}

/** Period in which a quote is used again. */
const CURRENT_MILLISECONDS = 1_000;
/** Age up to which a quote serves where none can be awaited: the sender asks for one more often. */
const FRESH_MILLISECONDS = 10_000;
/** Blocks, and the share of their transactions in percent, whose tips are usual where the node suggests none. */
const HISTORY = ["0x5", "latest", [50]] as const;
/** The tip where nothing shows a usual one. */
const DEFAULT_TIP = 1_000_000_000n;

const Header = z.object({ baseFeePerGas: BigQuantity.nullish() });
const History = z.object({ baseFeePerGas: z.array(BigQuantity), reward: z.array(z.array(BigQuantity)).nullish() });

/** Quotes the fee of the next transaction. */
export class FeeSource {
  readonly config: FeeConfig;
  readonly #rpc: Pick<Rpc, "call">;
  #newest: FeeQuote | undefined;
  /** When the node has responded last, by `performance.now()`. */
  #respondedAt = -Infinity;
  #quote: { readonly at: number; readonly promise: Promise<FeeQuote> } | undefined;

  constructor(rpc: Pick<Rpc, "call">, config: FeeConfig) {
    this.#rpc = rpc;
    this.config = config;
  }

  /**
   * Returns the fee to sign with; the one before while the node does not respond.
   * @param since The oldest fetch to use again, on the clock of `performance.now`; a second ago when unset
   * @throws SealbookError `chain_unavailable` when there is none before
   */
  quote(since = performance.now() - CURRENT_MILLISECONDS): Promise<FeeQuote> {
    if (this.#quote === undefined || this.#quote.at < since) {
      this.#quote = { at: performance.now(), promise: this.#fetchOrKeep() };
    }
    return this.#quote.promise;
  }

  /** Returns a fee that the node has quoted a short time ago, and that pays; `undefined` when there is none. */
  current(): FeeQuote | undefined {
    const isFresh = performance.now() - this.#respondedAt < FRESH_MILLISECONDS;
    return isFresh && this.#newest?.fault === undefined ? this.#newest : undefined;
  }

  async #fetchOrKeep(): Promise<FeeQuote> {
    try {
      this.#newest = await this.#fetch();
      this.#respondedAt = performance.now();
      return this.#newest;
    } catch (error) {
      if (this.#newest !== undefined) return this.#newest;
      this.#quote = undefined;
      throw error;
    }
  }

  async #fetch(): Promise<FeeQuote> {
    const { mode, gasPrice, maxFee } = this.config;
    const newest = (await fetchNewestBlock(this.#rpc, Header)).baseFeePerGas ?? undefined;
    const history = newest ? await this.#history() : undefined;
    const baseFee = history?.baseFeePerGas.at(-1) ?? newest ?? 0n;
    if (gasPrice !== undefined) {
      const asked = `GAS_PRICE is ${gwei(gasPrice)} but the chain's base fee is ${gwei(baseFee)}`;
      const fault = gasPrice < baseFee ? `${asked}; unset GAS_PRICE, or set it higher` : undefined;
      return { fee: legacyFee(gasPrice), baseFee, isFixed: true, limit: gasPrice, fault };
    }
    if (mode === "eip1559" && newest === undefined) {
      const fault = "FEE_MODE is eip1559, but the chain has no base fee; set it to auto";
      return { fee: legacyFee(0n), baseFee, isFixed: true, limit: maxFee, fault };
    }
    const fee =
      mode === "eip1559" || (mode === "auto" && baseFee > 0n)
        ? await this.#marketFee(baseFee, history?.reward?.flat() ?? [])
        : legacyFee(await this.#legacyPrice(newest));
    const least = baseFee > 0n ? baseFee : fee.max;
    const asked = `MAX_FEE is ${gwei(maxFee)} but the chain asks for ${gwei(least)} a unit of gas`;
    const fault = maxFee < least ? `${asked}; transactions wait for it to fall, or for a higher MAX_FEE` : undefined;
    return { fee: capped(fee, maxFee), baseFee, isFixed: false, limit: maxFee, fault };
  }

  #history(): Promise<z.output<typeof History> | undefined> {
    return lookUp(this.#rpc, History, "eth_feeHistory", HISTORY).catch(ifNodeError(undefined));
  }

  async #marketFee(baseFee: bigint, rewards: readonly bigint[]): Promise<GasFee> {
    const suggested = await lookUp(this.#rpc, BigQuantity, "eth_maxPriorityFeePerGas", []).catch(
      ifNodeError(undefined),
    );
    const tip = suggested ?? median(rewards) ?? DEFAULT_TIP;
    // Twice the base fee outlasts five full blocks, each of which raises it by an eighth.
    return { kind: "eip1559", max: 2n * baseFee + tip, tip };
  }

  async #legacyPrice(newestBaseFee: bigint | undefined): Promise<bigint> {
    // A chain that has a base fee and keeps it at 0 is free, whatever its nodes suggest.
    if (this.config.mode === "auto" && newestBaseFee !== undefined) return 0n;
    return query(this.#rpc, BigQuantity, "eth_gasPrice", []).catch(ifNodeError(0n));
  }
}

/** Writes an amount as people compare fees. */
export function gwei(wei: bigint): string {
  return `${formatUnits(wei, "gwei").replace(/\.0$/, "")} gwei`;
}

function median(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)];
}

/** Gas of an anchor or of a record of usual size. */
const USUAL_GAS = 100_000n;
/** A balance for fewer transactions is low. */
const LEAST_TRANSACTIONS = 500n;

/** Finds why the relayer cannot pay, or soon cannot pay any more. */
export function feeFaults(relayer: Address, balance: bigint, { fee, fault }: FeeQuote): readonly NetworkFault[] {
  const faults: NetworkFault[] = [];
  if (fault !== undefined) faults.push({ kind: "degraded_performance", subject: "fee", message: fault });
  if (fee.max === 0n) return faults;
  const affordable = balance / (USUAL_GAS * fee.max);
  if (affordable < LEAST_TRANSACTIONS)
    faults.push({
      kind: "low_balance",
      subject: "relayer",
      message: `the balance of the relayer ${relayer} pays for ${atMost(affordable)} at the present fee; fund it`,
    });
  return faults;
}

/** Rounds up to a power of two: each transaction would give the alert another text otherwise. */
function atMost(affordable: bigint): string {
  if (affordable === 0n) return "no transaction";
  let limit = 2n;
  while (limit <= affordable) limit *= 2n;
  return `fewer than ${limit} transactions`;
}
