import type { Proof } from "../proof.ts";
import { type Bundle, BUNDLE_FORMAT } from "../responses.ts";
import type { AnchorEvidence, ProvenBytes } from "../../chain/evidence/anchor-evidence.ts";

/**
 * Puts a proof and its evidence together.
 * @returns `undefined` when the evidence is not that of the proof: the chain saw the hash in another form
 */
export function bundleOf(proof: Proof, evidence: AnchorEvidence): Bundle | undefined {
  const { documentId, hash, metadata, recordHash, merkle } = proof;
  if ((merkle === undefined) !== (evidence.size === 0)) return undefined;
  return {
    format: BUNDLE_FORMAT,
    record: { document_id: documentId, hash: hex(hash), metadata, record_hash: hex(recordHash) },
    merkle:
      merkle === undefined
        ? null
        : {
            index: merkle.index,
            leaf: prefixed(merkle.leaf),
            path: merkle.path.map(prefixed),
            root: prefixed(merkle.root),
            size: evidence.size,
          },
    anchor: {
      chain_id: evidence.chainId,
      contract: evidence.contract.toLowerCase(),
      index: evidence.index,
      receipt: provenHex(evidence.receipt),
      transaction: provenHex(evidence.transaction),
    },
    block: { hash: prefixed(evidence.blockHash), header: prefixed(evidence.header) },
    consensus: { protocol: evidence.protocol, validators: evidence.validators.map(prefixed) },
  };
}

function provenHex({ raw, proof }: ProvenBytes): Bundle["anchor"]["receipt"] {
  return { raw: prefixed(raw), proof: proof.map(prefixed) };
}

function prefixed(bytes: Uint8Array): string {
  return `0x${hex(bytes)}`;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}
