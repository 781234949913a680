import * as z from "zod";
import type { FoundProof } from "../../../client/index.ts";
import { proofClient } from "../access/proof-access.ts";
import { claimOf, pastedEvidence } from "../files/evidence.ts";
import { texts } from "../texts/texts.ts";
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
 * Fetches the newest proof of a document, and verifies its bundle in the browser, against the chain as the server shows
 * it.
 * @param id The id of a document or of a proof
 * @param signal Ends the comparison with the chain
 * @throws Error when the bundle is not of this proof, for instance because there is a newer one by now
 */
export async function fetchCertificate(id: string, signal: AbortSignal): Promise<Certificate | undefined> {
  const client = proofClient();
  const found = id === "" ? undefined : await client.find(id);
  if (found?.status !== "confirmed") return found && { found, bundle: undefined };
  const { proof } = found;
  const text = await client.bundle(id);
  const evidence = pastedEvidence(text ?? "");
  const other = new Error(texts.value.certificate.otherBundle);
  if (text === undefined || evidence === undefined || !isOf(text, proof)) throw other;
  const name = `${proof.document_id}.bundle.json`;
  const named = { ...evidence, ...claimOf(evidence), sha256: "", source: "", name, isInPdf: false };
  let failure: { readonly error: unknown } | undefined;
  const node = chain.node(signal, (error) => (failure = { error }));
  const verdict = await new Checker([named], { node }, new Map()).document(proof.hash, [named]);
  // The chain can be asked again; what a step says of it would be the last word.
  if (failure !== undefined) throw failure.error;
  const block = verdict?.kind === "verified" ? verdict.block : undefined;
  if (verdict === undefined || (block && Number(block.number) !== proof.block_number)) throw other;
  return { found, bundle: { text, name, verdict } };
}

/** The parts of a bundle that the page also has from the server. */
const Bundle = z.object({
  record: z.object({
    document_id: z.string(),
    hash: z.string(),
    metadata: z.object({ timestamp: z.number(), type: z.string().optional() }),
  }),
  anchor: z.object({ chain_id: z.number(), contract: z.string() }),
});

/** Whether a bundle is of a proof: documents with other names can have the same recorded hash. */
function isOf(text: string, { document_id, hash, metadata, chain_id, contract }: Confirmed["proof"]): boolean {
  const { record, anchor } = Bundle.parse(JSON.parse(text));
  return (
    record.document_id === document_id &&
    record.hash === hash &&
    record.metadata.timestamp === metadata.timestamp &&
    record.metadata.type === metadata.type &&
    anchor.chain_id === chain_id &&
    anchor.contract.toLowerCase() === contract.toLowerCase()
  );
}

type Confirmed = Extract<FoundProof, { status: "confirmed" }>;
