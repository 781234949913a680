import type { Proof } from "./proof.ts";
import { type Bundle, BUNDLE_FORMAT } from "./responses.ts";
import { type AnchorEvidence, evidenceOf } from "../chain/evidence/anchor-evidence.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { ProvenBytes } from "../chain/evidence/merkle-trie.ts";
import { hex, prefixedHex } from "../kit/bytes.ts";
import { keyIdOf, publicJwk, type SigningKey } from "../issuer/signing-key.ts";
import { canonicalJson } from "../kit/json.ts";
import type { Issuer } from "../issuer/issuer.ts";
import { withinDeadline } from "../chain/rpc/rpc.ts";

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

/**
 * Signs all fields of a bundle, including the names of algorithm and key.
 * @returns its text, in the only valid form
 */
export function signedBundle(bundle: Bundle, key: SigningKey): string {
  const signature = {
    algorithm: "ES256",
    key_id: keyIdOf(key.publicKey),
    public_key: publicJwk(key.publicKey),
  };
  const value = key.sign(Buffer.from(canonicalJson({ ...bundle, signature })));
  return canonicalJson({ ...bundle, signature: { ...signature, value: hex(value) } });
}

/** Dependencies of the service. */
interface BundleServiceDeps {
  readonly chain: ProofAnchorClient;
  readonly issuer: Pick<Issuer, "signingKey">;
}

/** Creates bundles of proofs. */
export class BundleService {
  readonly #deps: BundleServiceDeps;

  constructor(deps: BundleServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the bundle of a proof as text, which must be stored and sent unchanged.
   * @param key Defaults to the issuer's current one
   * @returns `undefined` while the proof is not confirmed, and when the chain does not have its anchor in this form
   * @throws SealbookError `chain_unavailable`; `journal_damaged` while a divergence of the journal's history is open
   */
  async bundleFor(proof: Proof, key?: SigningKey): Promise<string | undefined> {
    if (proof.outcome.state !== "confirmed") return undefined;
    const { chain, issuer } = this.#deps;
    const { contract, block } = proof.outcome;
    const anchored = proof.merkle?.root ?? proof.recordHash;
    const found = await withinDeadline(evidenceOf(chain, anchored, contract, block.number));
    const bundle = found && bundleOf(proof, found);
    return bundle && signedBundle(bundle, key ?? (await issuer.signingKey()));
  }
}
