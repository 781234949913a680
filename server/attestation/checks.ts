import type { AttestationCheck } from "./responses.ts";
import type { AttestationFacts } from "./facts.ts";
import { prefixed } from "./hex.ts";

/** What was checked before the statement was made. */
export function checksOf(facts: AttestationFacts): AttestationCheck[] {
  const { place, queriedAt } = facts;
  const block = `block ${queriedAt.number} (${prefixed(queriedAt.hash)})`;
  if ("verification" in facts) {
    return [
      passed(
        "Comparison",
        "When the verification ran, each row was compared with the newest record of its document that was on chain by then, and that record's anchor with the chain.",
      ),
      passed(
        "Result",
        "Totals and root of the rows are those that were kept when the verification ended. The rows were not compared again for this statement.",
      ),
      passed("Chain", `The node of chain ${place.chainId} answered; its newest block was ${block}.`),
    ];
  }
  const batched = facts.records.filter(({ proof }) => proof.merkle !== undefined).length;
  const alone = facts.records.length - batched;
  return [
    passed("Recorded hash", "Computed again from document id, timestamp, type and SHA-256 of each record listed here."),
    passed(
      "Merkle path",
      `${batched} of the records went on chain under a Merkle root, to which the path leads from the recorded hash; ${alone} went alone and need none.`,
    ),
    passed(
      "Anchor",
      "All recorded hashes under each anchor were computed again from the journal, and give what was anchored.",
    ),
    passed(
      "Transaction",
      "The chain has each transaction, made to the contract with this hash or root, in the block named here.",
    ),
    passed(
      "Contract",
      `Contract ${place.contract} was asked at ${block} for each hash or root, and has it, not later than the record says.`,
    ),
  ];
}

function passed(title: string, description: string): AttestationCheck {
  return { title, description, outcome: "passed" };
}
