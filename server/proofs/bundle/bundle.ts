import type { Proof } from "../proof.ts";
import { type Bundle, BUNDLE_FORMAT } from "../responses.ts";
import type { AnchorEvidence } from "../../chain/evidence/anchor-evidence.ts";
import type { ProvenBytes } from "../../chain/evidence/merkle-trie.ts";
import { hex, prefixedHex } from "../../kit/hex.ts";

/**
 * Combines a proof and its evidence.
 * @returns `undefined` when the evidence does not belong to the proof: the hash is anchored in another form
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
            leaf: prefixedHex(merkle.leaf),
            path: merkle.path.map(prefixedHex),
            root: prefixedHex(merkle.root),
            size: evidence.size,
          },
    anchor: {
      chain_id: evidence.chainId,
      contract: evidence.contract.toLowerCase(),
      index: evidence.index,
      receipt: provenHex(evidence.receipt),
      transaction: provenHex(evidence.transaction),
    },
    block: { hash: prefixedHex(evidence.blockHash), header: prefixedHex(evidence.header) },
    consensus: { protocol: evidence.protocol, validators: evidence.validators.map(prefixedHex) },
  };
}

function provenHex({ raw, proof }: ProvenBytes): Bundle["anchor"]["receipt"] {
  return { raw: prefixedHex(raw), proof: proof.map(prefixedHex) };
}
