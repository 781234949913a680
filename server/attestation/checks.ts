import type { AttestationCheck } from "./responses.ts";
import type { AttestationFacts } from "./facts.ts";
import { prefixedHex } from "../kit/bytes.ts";

/** Lists the checks that passed before signing. */
export function checksOf(facts: AttestationFacts): AttestationCheck[] {
  const { installation, queriedAt } = facts;
  const block = `block ${queriedAt.number} (${prefixedHex(queriedAt.hash)})`;
  if ("verification" in facts) {
    return [
      passed(
        "Comparison",
        "The verification compared each row with the newest record of its document that was on chain by then, and " +
          "the anchor of that record with the chain.",
      ),
      passed(
        "Result",
        "Totals and root of the rows are those stored at the end of the verification. This statement does not repeat " +
          "the comparison.",
      ),
      passed("Chain", `A node of chain ${installation.chainId} responded; its newest block was ${block}.`),
    ];
  }
  const batched = facts.records.filter(({ proof }) => proof.merkle !== undefined).length;
  const alone = facts.records.length - batched;
  return [
    passed("Recorded hash", "Recomputed from document id, timestamp, type and SHA-256 of each listed record."),
    passed(
      "Merkle path",
      `${batched} of the records were anchored under a Merkle root, to which their path leads from the ` +
        "recorded hash; " +
        `${alone} were anchored alone and have no path.`,
    ),
    passed(
      "Anchor",
      "The recorded hashes under each anchor, computed from the journal, give the anchored hash or root. Those of " +
        "the listed records are among them.",
    ),
    passed(
      "Transaction",
      "The chain has each transaction, sent to the contract with this hash or root, in the listed block.",
    ),
    passed(
      "Contract",
      `Contract ${facts.installation.contract} was queried at ${block} for each hash or root and has it, not later ` +
        "than the record states.",
    ),
  ];
}

function passed(title: string, description: string): AttestationCheck {
  return { title, description, outcome: "passed" };
}
