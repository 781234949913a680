import { formatUnits } from "ethers";
import { z } from "zod";
import { BigQuantity } from "../rpc/fields.ts";
import { query } from "../rpc/query.ts";
import { ifNodeError, type Rpc, unavailable } from "../rpc/rpc.ts";
import { capped, type FeeQuote, type GasFee, legacyFee } from "./gas-fee.ts";

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

  async #fetchOrKeep(): Promise<FeeQuote> {
    try {
      return (this.#newest = await this.#fetch());
    } catch (error) {
      if (this.#newest !== undefined) return this.#newest;
      this.#quote = undefined;
      throw error;
    }
  }

  async #fetch(): Promise<FeeQuote> {
    const { mode, gasPrice, maxFee } = this.config;
    const header = await query(this.#rpc, Header, "eth_getBlockByNumber", ["latest", false]);
    if (header === undefined) throw unavailable(new Error("the node does not have its own newest block"));
    const newest = header.baseFeePerGas ?? undefined;
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
    return query(this.#rpc, History, "eth_feeHistory", HISTORY).catch(ifNodeError(undefined));
  }

  async #marketFee(baseFee: bigint, rewards: readonly bigint[]): Promise<GasFee> {
    const suggested = await query(this.#rpc, BigQuantity, "eth_maxPriorityFeePerGas", []).catch(ifNodeError(undefined));
    const tip = suggested ?? median(rewards) ?? DEFAULT_TIP;
    // Twice the base fee outlasts five full blocks, each of which raises it by an eighth.
    return { kind: "eip1559", max: 2n * baseFee + tip, tip };
  }

  async #legacyPrice(newestBaseFee: bigint | undefined): Promise<bigint> {
    // A chain that has a base fee and keeps it at 0 is free, whatever its nodes suggest.
    if (this.config.mode === "auto" && newestBaseFee !== undefined) return 0n;
    return (await query(this.#rpc, BigQuantity, "eth_gasPrice", []).catch(ifNodeError(0n))) ?? 0n;
  }
}

/** Writes an amount as people compare fees. */
export function gwei(wei: bigint): string {
  return `${formatUnits(wei, "gwei").replace(/\.0$/, "")} gwei`;
}

function median(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor(values.length / 2)];
}
