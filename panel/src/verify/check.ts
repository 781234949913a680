import {
  type AttestationResult,
  type Result,
  type VerifyOptions,
  verifyAttestation,
  verifyBundle,
} from "../../../verifier/verify.mjs";
import { baseName, folderOf, type NamedEvidence } from "./pairing.ts";
import type { EvidenceVerdict, Trusted } from "./verdict.ts";

/** What the reader trusts. */
export type Trust = Pick<VerifyOptions, "trustedKey" | "validators"> & {
  /** The chain as a server shows it. */
  readonly chain?: { readonly id: number | undefined } & Pick<VerifyOptions, "node" | "contract">;
};

/** Verifies a document with the evidence for it: one that verifies it suffices. */
export async function checkDocument(
  hash: string,
  evidence: readonly NamedEvidence[],
  all: readonly NamedEvidence[],
  trust: Trust,
): Promise<EvidenceVerdict | undefined> {
  let best: EvidenceVerdict | undefined;
  // A bundle proves the document by itself; a statement can only state it.
  for (const each of evidence.toSorted((a, b) => a.kind.localeCompare(b.kind))) {
    const verdict = await verdictOf(each, hash, all, trust);
    if (best === undefined || rank(verdict) > rank(best)) best = verdict;
    if (best.kind === "verified") break;
  }
  return best;
}

/** Verifies a statement; of a bundle without its document, verifies what does not need the document. */
export async function checkAlone(
  evidence: NamedEvidence,
  all: readonly NamedEvidence[],
  trust: Trust,
): Promise<EvidenceVerdict> {
  if (evidence.kind === "statement") return verdictOf(evidence, undefined, all, trust);
  const verdict = await verdictOf(evidence, evidence.records[0]?.hash ?? "", all, trust);
  // Nothing says that a document with this hash exists.
  const steps = verdict.steps.filter(({ step }) => step !== "document");
  return verdict.kind === "verified"
    ? { kind: "undetermined", code: "file", steps, evidence: evidence.name }
    : { ...verdict, steps };
}

async function verdictOf(
  evidence: NamedEvidence,
  hash: string | undefined,
  all: readonly NamedEvidence[],
  trust: Trust,
): Promise<EvidenceVerdict> {
  const of = { evidence: evidence.name };
  // Browsers have no cryptography on pages without TLS, except those of localhost and files.
  if (!globalThis.isSecureContext) return { kind: "undetermined", code: "cryptography", steps: [], ...of };
  const options = optionsFor(evidence.chainId, trust);
  const trusted = trustedBy(options);
  if (evidence.kind === "bundle") {
    const result = await verifyBundle(evidence.content, hash ?? "", options);
    if (!result.ok) return failed(result, of);
    const { steps, block, documentId } = result;
    return { kind: "verified", trusted, steps, block, documentId, statement: undefined, ...of };
  }
  const withHash = hash === undefined ? options : { ...options, documentHash: hash };
  const result = await verifyAttestation(evidence.content, attachmentsOf(evidence, all), withHash);
  if (!result.ok) return failed(result, of);
  return {
    kind: "verified",
    trusted: result.isTrusted ? "key" : trusted,
    steps: result.steps,
    block: undefined,
    documentId: result.record === undefined ? undefined : evidence.records[result.record - 1]?.document_id,
    statement: result,
    ...of,
  };
}

function failed(
  { outcome, code, steps }: Extract<Result | AttestationResult, { ok: false }>,
  of: { readonly evidence: string },
): EvidenceVerdict {
  return outcome === "not_verified"
    ? { kind: "not_verified", code, steps, ...of }
    : { kind: "undetermined", code, steps, ...of };
}

/** The chain of a server says nothing about a proof of another chain: nothing false, and nothing that is needed. */
function optionsFor(chainId: number | undefined, { chain, ...others }: Trust): VerifyOptions {
  if (chain === undefined) return others;
  const { node, contract } = chain;
  const isOther = chain.id !== undefined && chainId !== undefined && chain.id !== chainId;
  if (!isOther) return { ...others, ...(node && { node }), ...(contract && { contract }) };
  const isTrusted = others.trustedKey !== undefined || others.validators !== undefined;
  return isTrusted || node === undefined ? others : { node };
}

function trustedBy({ validators, node }: VerifyOptions): Trusted {
  return validators !== undefined ? "validators" : node !== undefined ? "chain" : "key";
}

function rank({ kind }: EvidenceVerdict): number {
  return { not_verified: 0, undetermined: 1, verified: 2 }[kind];
}

/** The files of a statement: those with its hashes, wherever they lie; else those with its names, beside it. */
function attachmentsOf(
  statement: NamedEvidence,
  all: readonly NamedEvidence[],
): (file: string) => Promise<Uint8Array | undefined> {
  const byHash = new Map(all.map((each) => [each.sha256, each.content]));
  const beside = all.filter(({ name }) => folderOf(name) === folderOf(statement.name));
  // The files in a PDF have its name.
  const nameOf = ({ name, kind }: NamedEvidence) =>
    kind === "copy" && name === statement.name ? STATEMENT_COPY : baseName(name);
  const byName = new Map(beside.map((each) => [nameOf(each), each.content]));
  return async (file) => byHash.get(statement.attachments.get(file) ?? "") ?? byName.get(file);
}

/** Name of the text of a statement beside it. */
const STATEMENT_COPY = "statement.json";
