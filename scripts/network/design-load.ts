/** Design load per second: records, and hashes that share a transaction with no others. */
const RECORDS_PER_SECOND = 100;
const HASHES_PER_SECOND = 100;
/** Gas of a whole transaction, rounded up: `EventTable.insert` of 425 bytes and `ProofAnchor.anchor`. */
const RECORD_GAS = 80_000;
const HASH_GAS = 50_000;
const MILLION = 1_000_000;
/** Minimum; a deployment of the contracts fits several times. */
const LEAST_GAS = 30 * MILLION;

/** Computes the gas limit of a block, so that all transactions of a block period fit. */
export function gasLimitFor(blockPeriodSeconds: number): number {
  const gas = blockPeriodSeconds * (RECORDS_PER_SECOND * RECORD_GAS + HASHES_PER_SECOND * HASH_GAS);
  return Math.max(LEAST_GAS, Math.ceil(gas / MILLION) * MILLION);
}
