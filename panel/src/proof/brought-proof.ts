import { z } from "zod";
import { hex32, Metadata, sha256, whole } from "../../../client/primitives.ts";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, "is not an address");

const Record = z.looseObject({ document_id: z.string(), hash: sha256, record_hash: sha256, metadata: Metadata });
const Merkle = z.looseObject({ root: hex32, leaf: hex32, index: whole, path: z.array(hex32), size: whole.optional() });

/** A portable proof. */
const Bundle = z.looseObject({
  format: z.literal("sealbook-bundle/1"),
  record: Record,
  merkle: Merkle.nullable(),
  anchor: z.looseObject({ chain_id: whole, contract: address }),
});

/** A proof as the server answers it, and as `npm run prove` keeps it. */
const Answer = z.looseObject({
  status: z.literal("confirmed"),
  proof: Record.extend({ chain_id: whole, contract: address, merkle: Merkle.optional() }),
});

/** The way from a document to the chain, in whichever form it was brought. Hashes of the chain are `0x` hex. */
export interface BroughtProof {
  readonly documentId: string;
  /** SHA-256 of the document, without prefix; so is `recordHash`. */
  readonly documentHash: string;
  readonly recordHash: string;
  readonly timestamp: number;
  readonly type: string;
  readonly chainId: number;
  readonly contract: string;
  /** `undefined` for a recorded hash that went on chain alone. */
  readonly merkle: z.output<typeof Merkle> | undefined;
  /** The text as it was brought when it is a portable proof, which can be checked as a whole. */
  readonly bundle: string | undefined;
}

/** Reads a proof; `undefined` for what is none. */
export function readProof(text: string): BroughtProof | undefined {
  const content = parsedJson(text);
  const bundle = Bundle.safeParse(content);
  if (bundle.success) {
    const { record, merkle, anchor } = bundle.data;
    return broughtProof(record, anchor, merkle ?? undefined, text);
  }
  const answer = Answer.safeParse(content);
  return answer.success
    ? broughtProof(answer.data.proof, answer.data.proof, answer.data.proof.merkle, undefined)
    : undefined;
}

/** What is anchored: the hash, or the root that it leads to. */
export function anchoredHash({ merkle, recordHash }: BroughtProof): string {
  return merkle?.root ?? `0x${recordHash}`;
}

function broughtProof(
  { document_id, hash, record_hash, metadata }: z.output<typeof Record>,
  place: { readonly chain_id: number; readonly contract: string },
  merkle: BroughtProof["merkle"],
  bundle: string | undefined,
): BroughtProof {
  return {
    documentId: document_id,
    documentHash: hash,
    recordHash: record_hash,
    timestamp: metadata.timestamp,
    type: metadata.type ?? "",
    chainId: place.chain_id,
    contract: place.contract,
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
