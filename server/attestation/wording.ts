import type { Statement, Audience } from "./responses.ts";
import type { AttestationFacts, RecordFacts, VerificationFacts } from "./facts.ts";
import { hex } from "./hex.ts";
import { utc } from "./utc.ts";

type Wording = Pick<Statement, "introduction" | "claims" | "limitations">;

/** The sentences of a statement: what it says, and what nobody should read into it. */
export function wordingOf(facts: AttestationFacts, audience: Audience): Wording {
  return "verification" in facts ? ofVerification(facts, audience) : ofRecords(facts, audience);
}

const CHECKABLE =
  "Nobody has to believe the issuer: the steps at the end repeat every check with common tools and any node of the chain. Only what is fetched from the issuer, such as its published key, needs its installation to be there.";

const INTRODUCTIONS: Readonly<Record<"records" | "verification", Readonly<Record<Audience, string>>>> = {
  records: {
    court: `This statement is made for a court. It sets out what was recorded, when, on which chain and by which contract, how that was checked before signing, and who signs. ${CHECKABLE}`,
    regulator: `This statement is made for a supervising authority. It sets out which records of the document this installation keeps, where they are anchored, and how they were checked against the chain before signing. ${CHECKABLE}`,
    seller: `This statement is made for the parties to a sale. In short: the content named below existed, exactly as it is identified here, at the times given, and whether a file is that content can be told at any time. ${CHECKABLE}`,
  },
  verification: {
    court: `This statement is made for a court. It sets out what a comparison of restored documents with their records gave, when it was made, and who signs. ${CHECKABLE}`,
    regulator: `This statement is made for a supervising authority. It sets out how documents that were restored from a backup compare with what had been recorded of them before. ${CHECKABLE}`,
    seller: `This statement is made for the parties to a sale. In short: documents that were restored from a backup were compared with what had been recorded of them, and this is the result. ${CHECKABLE}`,
  },
};

const AUDIENCE_LIMITS: Readonly<Record<Audience, string>> = {
  court: "What these facts mean in law: they can be checked, and are no opinion.",
  regulator: "That the records are complete: what was never submitted has no record.",
  seller: "Anything about ownership, quality or value of what is sold.",
};

function ofRecords(facts: RecordFacts, audience: Audience): Wording {
  const { records, count, place, queriedAt } = facts;
  const [newest] = records;
  const earliest = records.reduce((a, b) => (b.firstAnchor.time < a.firstAnchor.time ? b : a));
  const what = "documentId" in facts.subject ? "document" : "content";
  const { documentId, hash } = newest.proof;
  return {
    introduction: INTRODUCTIONS.records[audience],
    claims: [
      `The newest record of this ${what} is of the content with the SHA-256 ${hex(hash)} under the document id "${documentId}". ` +
        `That content existed, unchanged, not later than ${utc(newest.firstAnchor.time)}, the time of block ${newest.firstAnchor.blockNumber} of chain ${place.chainId}.`,
      ...(count === 1
        ? []
        : [
            `There are ${count} confirmed records of this ${what}${records.length === count ? "" : `, of which the newest ${records.length} are listed here`}. The earliest one that is listed was on chain at ${utc(earliest.firstAnchor.time)}.`,
          ]),
      `When this was issued, contract ${place.contract} confirmed every record listed here, at block ${queriedAt.number} of ${utc(queriedAt.time)}.`,
      "A file is the recorded content if its SHA-256 is the one given here, and is not if it differs by a single bit.",
    ],
    limitations: [
      "Whether what the content says is true, who made it, or how long before that time it was made.",
      "Where the document's id ends: nothing separates id, timestamp and type in the recorded text. That division, and all other metadata, are the issuer's word. The content's hash is beyond doubt.",
      "More about the time than the chain does: a block's time is what its proposer wrote and the other validators accepted.",
      AUDIENCE_LIMITS[audience],
    ],
  };
}

function ofVerification({ verification, place }: VerificationFacts, audience: Audience): Wording {
  const { totals, asOf, finishedAt, rowsRoot, id } = verification;
  const until = asOf === undefined ? "all that was on chain when it ran" : `what was on chain by ${utc(asOf)}`;
  return {
    introduction: INTRODUCTIONS.verification[audience],
    claims: [
      `Verification ${id} compared ${totals.documents} restored documents with their records on chain ${place.chainId}, contract ${place.contract}, and ended at ${utc(Math.floor(finishedAt / 1000))}. It counted ${until}.`,
      `Match, being what was recorded last: ${totals.match}. Mismatch, differing from it: ${totals.mismatch}. Unrecorded, without a record that counts: ${totals.unrecorded}.`,
      `The answer's rows, one for each document, have the Merkle root ${hex(rowsRoot)}. Whoever has the rows can tell whether they are the ones that this statement is about, all of them and in their order.`,
    ],
    limitations: [
      "Which documents should have been restored: only those that were submitted were compared.",
      "What the rows are: they stand in the answer of the verification, which has to be kept beside this statement.",
      "Whether what the documents say is true, or who made them.",
      AUDIENCE_LIMITS[audience],
    ],
  };
}
