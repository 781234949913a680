import { createHash } from "node:crypto";
import { AFRelationship, PDFDocument } from "@cantoo/pdf-lib";
import type { Statement, AttestedRecord, AttestedVerification, Audience } from "../responses.ts";
import { type Attachment, VERIFIER_FILE } from "../facts.ts";
import { utc } from "../wording.ts";
import { canonicalJson } from "../../kit/json.ts";
import { PageFlow, TEXT_WIDTH, qrMatrix } from "./page-flow.ts";

/** Names of the attachments. */
export const JWS_FILE = "attestation.jws";
export const STATEMENT_FILE = "statement.json";

const QR_SIDE = 92;
const BODY = 9.5;

const READERS: Readonly<Record<Audience, string>> = {
  court: "For a court",
  regulator: "For a supervising authority",
  seller: "For the parties to a sale",
};

/**
 * Renders a statement as PDF with its signed form attached. Equal statements give equal bytes.
 * @param text The signed payload
 * @param attachments The files that the statement names
 */
export async function attestationPdf(
  attestation: Statement,
  text: string,
  jws: string,
  attachments: readonly Attachment[],
): Promise<Uint8Array> {
  const { issuer, issued_at, audience, introduction, claims, limitations, records, verification, checks, steps } =
    attestation;
  const pdf = await PDFDocument.create({ updateMetadata: false });
  const date = new Date(issued_at * 1000);
  const title = titleOf(attestation);
  pdf.setTitle(title, { showInWindowTitleBar: true });
  pdf.setAuthor(issuer.name);
  pdf.setSubject(READERS[audience]);
  pdf.setCreator("Sealbook");
  pdf.setProducer("Sealbook");
  pdf.setCreationDate(date);
  pdf.setModificationDate(date);
  pdf.setLanguage("en");
  const attached = { creationDate: date, modificationDate: date, afRelationship: AFRelationship.Data };
  await pdf.attach(Buffer.from(jws), JWS_FILE, {
    ...attached,
    mimeType: "application/jose",
    description: "The signed statement, as a compact JWS",
  });
  await pdf.attach(Buffer.from(text), STATEMENT_FILE, {
    ...attached,
    mimeType: "application/json",
    description: "The statement: the payload of the JWS",
  });
  for (const { file, content } of attachments) {
    await pdf.attach(Buffer.from(content), file, {
      ...attached,
      afRelationship: AFRelationship.Supplement,
      ...(file === VERIFIER_FILE
        ? { mimeType: "text/javascript", description: "The verifier, for Node 18 or newer" }
        : { mimeType: "application/json", description: "A portable proof of a record" }),
    });
  }

  const bundles = attachments.filter(({ file }) => file !== VERIFIER_FILE).length;
  const flow = await PageFlow.on(pdf);
  const { regular, bold, mono } = flow.fonts;
  const [newest] = records ?? [];
  if (newest !== undefined) flow.qrCode(qrMatrix(newest.verification_url), QR_SIDE);
  const head = { indent: 0, width: newest === undefined ? TEXT_WIDTH : TEXT_WIDTH - QR_SIDE - 24 };
  flow.text(title, { font: bold, size: 18, ...head });
  flow.space(4);
  flow.text(READERS[audience], { font: regular, size: 12, ...head });
  flow.space(6);
  flow.text([`Issued by ${issuer.name}`, utc(issued_at)], { font: regular, size: BODY, ...head });
  if (newest !== undefined)
    flow.text("The code on the right links to the newest record's transaction.", {
      font: regular,
      size: BODY,
      ...head,
    });
  flow.space(newest === undefined ? 12 : 28);
  flow.text(introduction, { font: regular, size: BODY });

  flow.heading("Claims");
  for (const sentence of claims) flow.point(sentence, BODY);
  flow.heading("Limitations");
  for (const sentence of limitations) flow.point(sentence, BODY);

  if (newest !== undefined) recordFacts(flow, newest);
  if (verification !== undefined) verificationFacts(flow, verification);
  chainFacts(flow, attestation);
  if (records !== undefined && records.length > 1)
    recordTable(flow, records, attestation.record_count ?? records.length);

  flow.heading("Checks before signing");
  for (const { title, description, outcome } of checks) flow.point(`${title}: ${outcome}. ${description}`, BODY);

  flow.heading("Verification without the issuer");
  flow.text(
    "Run the commands in a POSIX shell, in an empty folder with this PDF. The first one extracts the attached files: " +
      `${[JWS_FILE, STATEMENT_FILE].join(", ")}, the verifier ${VERIFIER_FILE}` +
      `${bundles === 0 ? "" : `, and ${bundles} portable ${bundles === 1 ? "proof" : "proofs"}`}. ` +
      `Then copy long commands from ${STATEMENT_FILE}, because this page breaks long lines.`,
    { font: regular, size: BODY },
  );
  flow.space(6);
  steps.forEach(({ title, run, expect, proves }, index) => {
    flow.keep(44);
    flow.text(`${index + 1}. ${title}`, { font: bold, size: BODY });
    flow.space(2);
    flow.code(run.split("\n"));
    if (expect.length > 0) {
      flow.text("The output contains:", { font: regular, size: 8 });
      for (const value of expect) flow.text(value, { font: mono, size: 7.5, indent: 6 });
    }
    flow.text(`Proves: ${proves}`, { font: regular, size: 8 });
    flow.space(8);
  });

  flow.heading("Signature");
  flow.text(
    `The signature covers the attached ${JWS_FILE}; paper cannot be verified. Characters that these fonts do not ` +
      "show appear here as their code: a backslash, u and hexadecimal digits in braces. " +
      `${STATEMENT_FILE} contains them unchanged.`,
    { font: regular, size: BODY },
  );
  flow.space(6);
  const exact = { font: mono, size: 8 };
  flow.fact("Signed by", issuer.name);
  flow.fact("Algorithm", "ES256 (ECDSA with P-256 and SHA-256), as compact JWS (RFC 7515, RFC 7518)");
  flow.fact("Key", issuer.key_id, exact);
  flow.fact("Public key", [`P-256, x ${issuer.public_key.x}`, `       y ${issuer.public_key.y}`], exact);
  flow.fact("Published at", issuer.jwks_url, exact);
  flow.fact(`SHA-256 of ${JWS_FILE}`, createHash("sha256").update(jws).digest("hex"), exact);

  flow.number(`${title}, ${utc(issued_at)}`);
  return pdf.save();
}

function titleOf({ subject }: Statement): string {
  if ("document_id" in subject) return "Attestation of a document";
  return "hash" in subject ? "Attestation of a content" : "Attestation of a verification";
}

function recordFacts(flow: PageFlow, record: AttestedRecord): void {
  const exact = { font: flow.fonts.mono, size: 8 };
  const { type, timestamp, source, ...others } = record.metadata;
  flow.heading("The newest record");
  flow.fact("Document id", record.document_id);
  flow.fact("SHA-256", record.hash, exact);
  if (type !== undefined) flow.fact("Type", type);
  flow.fact("Timestamp", `${timestamp}${timeOf(timestamp)}`);
  if (source !== undefined) flow.fact("Source", source);
  // In the order of the signed text.
  for (const [name, value] of Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))) {
    flow.fact(name, typeof value === "string" ? value : canonicalJson(value));
  }
  flow.fact("Recorded hash", record.record_hash, exact);
  if (record.merkle !== null) {
    flow.fact("Merkle root", record.merkle.root, exact);
    flow.fact("Leaf index", `${record.merkle.index} of ${record.first_anchor.size}, counted from 0`);
    if (record.merkle.path.length > 0) flow.fact("Merkle path", record.merkle.path, exact);
  }
  flow.fact("Transaction", record.tx_hash, exact);
  flow.fact("Block", `${record.block_number}, proposed by ${record.validator}`);
  flow.fact("Block hash", record.block_hash, exact);
  flow.fact("Block time", utc(record.timestamp));
  flow.fact("First anchor", `${utc(record.first_anchor.timestamp)}, in block ${record.first_anchor.block_number}`);
  flow.fact("Explorer", record.verification_url, exact);
  if (record.bundle !== null) flow.fact("Portable proof", `${record.bundle} (attached)`, exact);
}

function verificationFacts(
  flow: PageFlow,
  { verification_id, as_of, finished_at, totals, rows_root }: AttestedVerification,
): void {
  const exact = { font: flow.fonts.mono, size: 8 };
  flow.heading("The verification");
  flow.fact("Verification", verification_id, exact);
  flow.fact("Finished", utc(finished_at));
  flow.fact(
    "Considered",
    as_of === null ? "all records found at that time" : `records found, on chain by ${utc(as_of)}`,
  );
  flow.fact("Documents", String(totals.documents));
  flow.fact("Match", String(totals.match));
  flow.fact("Mismatch", String(totals.mismatch));
  flow.fact("Unrecorded", String(totals.unrecorded));
  flow.fact("Pending", String(totals.pending));
  flow.fact("Root of the rows", rows_root, exact);
}

function chainFacts(flow: PageFlow, { chain }: Statement): void {
  const exact = { font: flow.fonts.mono, size: 8 };
  flow.heading("The chain");
  flow.fact("Chain id", String(chain.chain_id));
  flow.fact("Contract", chain.contract, exact);
  flow.fact("Queried at", `block ${chain.queried_at.block_number}, ${utc(chain.queried_at.timestamp)}`);
  flow.fact("Block hash", chain.queried_at.block_hash, exact);
}

/** Lists the records, newest first. The statement contains their paths and metadata. */
function recordTable(flow: PageFlow, records: readonly AttestedRecord[], count: number): void {
  flow.heading(count === records.length ? `All ${count} records` : `The newest ${records.length} of ${count} records`);
  const small = { font: flow.fonts.regular, size: 8 };
  const exact = { font: flow.fonts.mono, size: 7 };
  const columns = [{ width: 26 }, { indent: 28, width: 98 }, { indent: 128 }] as const;
  records.forEach((record, index) => {
    const hashes = [`SHA-256     ${record.hash}`, `recorded    ${record.record_hash}`, `transaction ${record.tx_hash}`];
    flow.row([
      [{ text: String(index + 1), style: { ...small, ...columns[0] } }],
      [{ text: [utc(record.timestamp), `block ${record.block_number}`], style: { ...small, ...columns[1] } }],
      [
        { text: record.document_id, style: { ...small, ...columns[2] } },
        { text: hashes, style: { ...exact, ...columns[2] } },
      ],
    ]);
  });
}

/** Formats a caller's timestamp, which can be outside of the valid dates. */
function timeOf(seconds: number): string {
  return seconds <= 253_402_300_799 ? ` (${utc(seconds)})` : "";
}
