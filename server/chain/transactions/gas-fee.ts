/** What a transaction pays for a unit of gas, in wei. */
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

/** Nodes replace a pending transaction by one that pays at least 10 % more, of the whole and of the tip. */
const LEAST_RISE_PERCENT = 110n;
/** Time without a block after which a transaction with a lower tip than now usual is replaced. */
const SLOW_MILLISECONDS = 60_000;

export function legacyFee(gasPrice: bigint): GasFee {
  return { kind: "legacy", max: gasPrice, tip: gasPrice };
}

/** Returns a fee that is at most a limit. */
export function capped(fee: GasFee, limit: bigint): GasFee {
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
  return (wei * LEAST_RISE_PERCENT + 99n) / 100n;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
