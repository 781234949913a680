import type { FoundProof } from "../../../client/index.ts";
import { proofClient } from "../access/proof-access.ts";
import { claimOf, pastedEvidence } from "../files/evidence.ts";
import { Checker } from "../verify/check.ts";
import { ServerChain } from "../verify/server-chain.ts";
import type { EvidenceVerdict } from "../verify/verdict.ts";

/** What the server has about a document, and what its bundle proves. */
export interface Certificate {
  readonly found: FoundProof;
  /** `undefined` while the document waits for the chain. */
  readonly bundle: { readonly text: string; readonly name: string; readonly verdict: EvidenceVerdict } | undefined;
}

const chain = new ServerChain();

/**
 * Fetches the newest proof of a document, and verifies its bundle in the browser.
 * @param id The id of a document or of a proof
 * @param signal Ends the comparison with the chain
 */
export async function fetchCertificate(id: string, signal: AbortSignal): Promise<Certificate | undefined> {
  const client = proofClient();
  const found = await client.find(id);
  if (found?.status !== "confirmed") return found && { found, bundle: undefined };
  const { document_id, hash } = found.proof;
  const text = await client.bundle(found.id);
  const evidence = text === undefined ? undefined : pastedEvidence(text);
  if (text === undefined || evidence === undefined) return { found, bundle: undefined };
  const name = `${document_id}.bundle.json`;
  const named = { ...evidence, ...claimOf(evidence), sha256: "", source: "", name, isInPdf: false };
  const node = chain.node(signal, () => undefined);
  const verdict = await new Checker([named], { node }, new Map()).document(hash, [named]);
  return { found, bundle: verdict && { text, name, verdict } };
}
