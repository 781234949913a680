import type { z } from "zod";
import { Bundle, ConfirmedProof } from "../../../server/proofs/responses.ts";

/** The fields of a portable proof that the page shows; the verifier checks the rest. */
const PortableProof = Bundle.pick({ format: true, record: true, merkle: true }).extend({
  anchor: Bundle.shape.anchor.pick({ chain_id: true, contract: true }),
});

/** A proof as the server returns it. */
const StoredProof = ConfirmedProof.pick({ status: true }).extend({
  proof: ConfirmedProof.shape.proof.pick({
    document_id: true,
    hash: true,
    record_hash: true,
    metadata: true,
    chain_id: true,
    contract: true,
    merkle: true,
  }),
});

/** The inclusion proof of a recorded hash; a portable proof also has the size of its tree. */
type MerklePath = NonNullable<z.output<typeof StoredProof>["proof"]["merkle"]> & { readonly size?: number };

/** The path from a document to the chain, in either format. Hashes of the chain are `0x` hex. */
export interface ParsedProof {
  readonly documentId: string;
  /** SHA-256 of the document, without prefix; the same for `recordHash`. */
  readonly documentHash: string;
  readonly recordHash: string;
  readonly timestamp: number;
  readonly type: string;
  readonly chainId: number;
  readonly contract: string;
  /** `undefined` for a recorded hash that was anchored alone. */
  readonly merkle: MerklePath | undefined;
  /** The original text of a portable proof, which can be verified as a whole. */
  readonly bundle: string | undefined;
}

/** Reads a proof; `undefined` for any other text. */
export function parseProof(text: string): ParsedProof | undefined {
  const content = parsedJson(text);
  const bundle = PortableProof.safeParse(content);
  if (bundle.success) {
    const { record, merkle, anchor } = bundle.data;
    return toParsedProof(record, anchor, merkle ?? undefined, text);
  }
  const stored = StoredProof.safeParse(content);
  return stored.success
    ? toParsedProof(stored.data.proof, stored.data.proof, stored.data.proof.merkle, undefined)
    : undefined;
}

/** Returns the anchored hash: the recorded hash, or the root of its path. */
export function anchoredHash({ merkle, recordHash }: ParsedProof): string {
  return merkle?.root ?? `0x${recordHash}`;
}

function toParsedProof(
  { document_id, hash, record_hash, metadata }: z.output<typeof PortableProof>["record"],
  anchor: { readonly chain_id: number; readonly contract: string },
  merkle: ParsedProof["merkle"],
  bundle: string | undefined,
): ParsedProof {
  return {
    documentId: document_id,
    documentHash: hash,
    recordHash: record_hash,
    timestamp: metadata.timestamp,
    type: metadata.type ?? "",
    chainId: anchor.chain_id,
    contract: anchor.contract,
    merkle,
    bundle,
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
