import type { NetworkFault } from "../consensus/network-faults.ts";
import type { Address } from "../transaction.ts";
import type { FeeQuote } from "./gas-fee.ts";

/** What an anchor or a record of usual size uses, in gas. */
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
