import type { BlockTrust } from "../chain/evidence/verified-chain.ts";
import type { Statement, Audience } from "./responses.ts";
import type { AttestationFacts, RecordFacts, VerificationFacts } from "./facts.ts";
import { hex } from "../kit/bytes.ts";

/** Formats Unix seconds as `2026-01-31 12:00:00 UTC`. */
export function utc(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

type Wording = Pick<Statement, "introduction" | "claims" | "limitations">;

/** Writes the sentences of a statement: introduction, claims and limitations. */
export function wordingOf(facts: AttestationFacts, audience: Audience): Wording {
  return "verification" in facts ? ofVerification(facts, audience) : ofRecords(facts, audience);
}

const CHECKABLE =
  "Every check can be repeated without access to the issuer: the steps at the end use the attached files and common " +
  "tools. Some of them query a node of the chain, which can be any node.";

const INTRODUCTIONS: Readonly<Record<"records" | "verification", Readonly<Record<Audience, string>>>> = {
  records: {
    court:
      "This statement is addressed to a court. It lists what was recorded, when, on which chain and by which " +
      "contract, " +
      `how the issuer checked it before signing, and who signs. ${CHECKABLE}`,
    regulator:
      "This statement is addressed to a supervising authority. It lists the records of the document that this " +
      "installation stores, where they are anchored, and how the issuer checked them against the chain before " +
      "signing. " +
      CHECKABLE,
    seller:
      "This statement is addressed to the parties to a sale. In short: the content identified below existed, exactly " +
      `as identified here, at the given times. Any file can be compared with that content at any time. ${CHECKABLE}`,
  },
  verification: {
    court:
      "This statement is addressed to a court. It gives the result of a comparison of restored documents with their " +
      `records, the time of the comparison, and who signs. ${CHECKABLE}`,
    regulator:
      "This statement is addressed to a supervising authority. It gives the result of a comparison of documents " +
      `restored from a backup with their earlier records. ${CHECKABLE}`,
    seller:
      "This statement is addressed to the parties to a sale. In short: documents restored from a backup were " +
      "compared " +
      `with their earlier records, and this is the result. ${CHECKABLE}`,
  },
};

const AUDIENCE_LIMITATIONS: Readonly<Record<Audience, string>> = {
  court: "The legal meaning of these facts: they can be checked and are not an opinion.",
  regulator: "The completeness of the records: content that was never submitted has no record.",
  seller: "Ownership, quality or value of the sold goods.",
};

const INDEX_LIMITATION =
  "Whether every record was found: the issuer finds them by an index, which it compares with all of its entries once " +
  "a day.";

function ofRecords(facts: RecordFacts, audience: Audience): Wording {
  const { records, count, pendingCount, installation, queriedAt, trust } = facts;
  const [newest] = records;
  const earliest = records.reduce((a, b) => (b.firstAnchor.time < a.firstAnchor.time ? b : a));
  const subject = "documentId" in facts.subject ? "document" : "content";
  const { documentId, hash } = newest.proof;
  const listed = records.length === count ? "" : `, of which the newest ${records.length} are listed here`;
  return {
    introduction: INTRODUCTIONS.records[audience],
    claims: [
      `The newest ${pendingCount === 0 ? "" : "confirmed "}record of this ${subject} is of the content with the ` +
        `SHA-256 ${hex(hash)} under the document id "${documentId}". That content existed, unchanged, not later than ` +
        `${utc(newest.firstAnchor.time)}, the ` +
        "time of " +
        `block ${newest.firstAnchor.blockNumber} of chain ${installation.chainId}.`,
      ...(count === 1
        ? []
        : [
            `There are ${count} confirmed records of this ${subject}${listed}. The earliest listed record was ` +
              "on chain " +
              `at ${utc(earliest.firstAnchor.time)}.`,
          ]),
      ...(pendingCount === 0 ? [] : [pendingClaim(subject, pendingCount)]),
      `At the time of issue, contract ${facts.installation.contract} confirmed every record listed here, at block ` +
        `${queriedAt.number} of ${utc(queriedAt.time)}.`,
      "A file is the recorded content if its SHA-256 equals the one given here, and is not if a single bit differs.",
    ],
    limitations: [
      "Whether the content is true, who made it, or how long before that time it was made.",
      "The end of the document id: the recorded text does not separate id, timestamp and type. That division and all " +
        "other metadata are claims of the issuer. The hash of the content is unambiguous.",
      "A more precise time than the chain's: the time of a block is set by its proposer and accepted by the other " +
        "validators.",
      INDEX_LIMITATION,
      ...withoutBundle(facts),
      ...trustLimitations(trust),
      AUDIENCE_LIMITATIONS[audience],
    ],
  };
}

function pendingClaim(subject: string, count: number): string {
  const what = count === 1 ? "1 record" : `${count} records`;
  return (
    `The issuer has accepted ${what} of this ${subject} that had no anchor yet at the time of issue. They are not ` +
    "listed, and can be newer."
  );
}

function withoutBundle({ records, count }: RecordFacts): string[] {
  const attached = records.filter(({ bundle }) => bundle !== undefined).length;
  if (attached === count) return [];
  return [
    `The blocks of all records, offline: portable proofs of ${attached} of the ${count} records are attached, those ` +
      "of the newest and of the earliest listed record first. A node of the chain confirms the others.",
  ];
}

function ofVerification({ verification, installation, trust }: VerificationFacts, audience: Audience): Wording {
  const { totals, asOf, finishedAt, rowsRoot, id } = verification;
  const considered =
    asOf === undefined ? "all records found at that time" : `the records found, on chain by ${utc(asOf)}`;
  return {
    introduction: INTRODUCTIONS.verification[audience],
    claims: [
      `Verification ${id} compared ${totals.documents} restored documents with their records on chain ` +
        `${installation.chainId}, contract ${installation.contract}, and ended at ` +
        `${utc(Math.floor(finishedAt / 1000))}. It considered ${considered}.`,
      `Match, equal to the last record: ${totals.match}. Mismatch, different from it: ${totals.mismatch}. ` +
        "Unrecorded, " +
        `without a considered record: ${totals.unrecorded}. Pending, with a newer record that had no anchor yet: ` +
        `${totals.pending}.`,
      "This result was signed once, when the comparison ended: that signature is `signed_result`.",
      `The rows of the response, one for each document, have the Merkle root ${hex(rowsRoot)}. The root shows ` +
        "whether given rows are those of this statement, complete and in order.",
    ],
    limitations: [
      "Which documents should have been restored: only submitted documents were compared.",
      "The content of the rows: the response of the verification contains them and has to be kept with this statement.",
      "Whether the content of the documents is true, or who made them.",
      INDEX_LIMITATION,
      ...trustLimitations(trust),
      AUDIENCE_LIMITATIONS[audience],
    ],
  };
}

/** States what the issuer could not check itself, because the chain or the configuration does not allow it. */
function trustLimitations({ isSealed, nodes }: BlockTrust): string[] {
  if (isSealed) return [];
  const source =
    nodes === 1
      ? "those that the issuer's one node returned"
      : `those on which ${nodes} nodes of the chain agreed, as the issuer queried them`;
  return [
    "That the listed blocks are the chain's, and their times: the chain's blocks carry no seals of validators, and " +
      `the blocks are ${source}. Compare block number, hash and time with another node.`,
  ];
}
