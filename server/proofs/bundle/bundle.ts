import type { Proof, ProofMetadata } from "../proof.ts";
import type { AnchorEvidence, ConsensusProtocol, ProvenBytes } from "../../chain/evidence/anchor-evidence.ts";
import { hex, prefixedHex } from "../../kit/hex.ts";

/** The name of the format that is written here; docs/proof-format.md describes it. */
export const BUNDLE_FORMAT = "sealbook-bundle/1";

/** Bytes of a block in hex, and the nodes of its trie that prove them. */
export interface ProvenHex {
  readonly raw: string;
  readonly proof: readonly string[];
}

/** All that is needed to check a record without asking anybody. All hex is lower-case. */
export interface Bundle {
  readonly format: typeof BUNDLE_FORMAT;
  readonly record: {
    readonly document_id: string;
    /** Without prefix, as is `record_hash`. */
    readonly hash: string;
    readonly metadata: ProofMetadata;
    readonly record_hash: string;
  };
  /** `null` for a recorded hash that went on chain alone. */
  readonly merkle: {
    readonly index: number;
    readonly leaf: string;
    readonly path: readonly string[];
    readonly root: string;
    readonly size: number;
  } | null;
  readonly anchor: {
    readonly chain_id: number;
    readonly contract: string;
    readonly index: number;
    readonly receipt: ProvenHex;
    readonly transaction: ProvenHex;
  };
  readonly block: { readonly hash: string; readonly header: string };
  readonly consensus: { readonly protocol: ConsensusProtocol; readonly validators: readonly string[] };
}

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

function provenHex({ raw, proof }: ProvenBytes): ProvenHex {
  return { raw: prefixedHex(raw), proof: proof.map(prefixedHex) };
}
