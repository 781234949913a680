import { SealbookError } from "../errors.ts";
import type { AnchorTrees, Issuer, IssuerSigner, Proof, ProofJournal } from "../proofs/index.ts";
import { verifyPath } from "../journal/integrity/merkle.ts";
import type { AnchorChain } from "../chain/contracts/anchor.ts";
import type { Clock } from "../kit/clock.ts";
import type { JournalEvents } from "../journal/events.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import { AnchorAudit, type ConfirmedProof, type RecoveryService, isConfirmedBy } from "../recovery/index.ts";
import type { AnchorInspector } from "../chain/contracts/anchor-inspection.ts";
import type { Statement, Audience } from "./responses.ts";
import type { AttestationFacts, AttestedProof } from "./facts.ts";
import { attestationOf } from "./statement.ts";

/** Most records that one statement lists. */
const MOST_RECORDS = 1_000;

export interface AttestationServiceDeps {
  readonly journal: Pick<ProofJournal, "proofs" | "anchors">;
  readonly trees: AnchorTrees;
  readonly chain: AnchorChain;
  readonly inspector: AnchorInspector;
  readonly recovery: Pick<RecoveryService, "verification">;
  readonly issuer: Issuer;
  readonly issuerName: string;
  /** Known only once the server listens. */
  readonly place: () => AttestationFacts["place"];
  /** Where the keys are published. */
  readonly jwksUrl: () => string;
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
  readonly clock: Clock;
}

/** What a statement is asked about. */
export type AttestationSubject =
  { readonly documentId: string } | { readonly hash: Uint8Array } | { readonly verificationId: string };

/** A statement, and who is to sign it: the key that it names. */
export interface UnsignedAttestation {
  readonly attestation: Statement;
  readonly signer: IssuerSigner;
}

/** Collects what statements are made of. What cannot be checked against the chain is not stated. */
export class AttestationService {
  readonly #deps: AttestationServiceDeps;

  constructor(deps: AttestationServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Makes a statement.
   * @throws SealbookError `not_found` when nothing of it is confirmed; `conflict` when the chain contradicts the journal;
   *   `chain_unavailable`
   */
  async attest(subject: AttestationSubject, audience: Audience): Promise<UnsignedAttestation> {
    const { issuer, issuerName, place, jwksUrl, clock } = this.#deps;
    const signer = await issuer.signer();
    const facts = await this.#facts(subject);
    const common = {
      issuedAt: Math.floor(clock() / 1000),
      issuer: { name: issuerName, publicKey: signer.publicKey, jwksUrl: jwksUrl() },
      place: place(),
    };
    return { attestation: attestationOf({ ...common, ...facts }, audience), signer };
  }

  async #facts(subject: AttestationSubject) {
    const { recovery, inspector, journal } = this.#deps;
    if ("verificationId" in subject) {
      const verification = await recovery.verification(subject.verificationId);
      const { block } = await inspector.inspect([]);
      return { verification, queriedAt: block };
    }
    const found =
      "documentId" in subject
        ? await journal.proofs.byDocument(subject.documentId)
        : (await Array.fromAsync(journal.proofs.byHash(subject.hash))).reverse();
    const confirmed = found.filter((proof) => isConfirmedBy(proof, undefined));
    const { block, records } = await this.#checked(confirmed.slice(0, MOST_RECORDS));
    const [newest, ...older] = records;
    if (newest === undefined) {
      const what = "documentId" in subject ? "this document" : "this hash";
      throw new SealbookError(
        "not_found",
        found.length === 0 ? `nothing is recorded of ${what}` : `nothing that is recorded of ${what} is confirmed yet`,
      );
    }
    return { subject, records: [newest, ...older] as const, count: confirmed.length, queriedAt: block };
  }

  /** Every check that the statement speaks of. */
  async #checked(proofs: readonly ConfirmedProof[]) {
    const { journal, chain, telemetry, inspector } = this.#deps;
    const audit = new AnchorAudit(journal.anchors, chain, telemetry);
    const complete: { proof: AttestedProof["proof"]; anchored: Uint8Array }[] = [];
    for (const proof of proofs) {
      const fault = (await audit.faultOf(proof)) ?? recordFault(proof);
      if (fault !== undefined) throw contradiction(fault);
      complete.push(await this.#complete(proof));
    }
    // Records of one batch share their root: it is asked for once.
    const places = new Map<string, number>();
    const anchored = complete
      .map(({ anchored }) => anchored)
      .filter((hash) => {
        const key = keyOf(hash);
        return !places.has(key) && places.set(key, places.size);
      });
    const { block, anchors } = await inspector.inspect(anchored);
    const records = complete.map(({ proof, anchored }): AttestedProof => {
      const inspected = anchors[places.get(keyOf(anchored)) ?? -1];
      if (inspected === undefined || inspected.time === 0 || inspected.blockNumber > proof.outcome.block.number) {
        throw contradiction("the contract does not have a record of this at the newest block");
      }
      const { answer, ...firstAnchor } = inspected;
      const { merkle } = proof;
      return {
        proof,
        firstAnchor,
        answer,
        anchorQuestion: inspector.anchorQuestion(anchored),
        verifyQuestion: merkle && inspector.verifyQuestion(proof.recordHash, merkle.path, merkle.root),
      };
    });
    return { block, records };
  }

  /** The proof with its Merkle path, which has to lead to what was anchored. */
  async #complete(stored: ConfirmedProof): Promise<{ proof: AttestedProof["proof"]; anchored: Uint8Array }> {
    const { documentId, hash, recordHash, metadata, acceptedAt, outcome, content, anchorId, leafIndex: index } = stored;
    const tree = content && (await this.#deps.trees.of(anchorId, content));
    const merkle: Proof["merkle"] = tree && { root: tree.root, leaf: tree.leaf(index), index, path: tree.path(index) };
    const anchored = merkle?.root ?? recordHash;
    if (
      content === undefined ||
      Buffer.compare(anchored, content.hash) !== 0 ||
      (merkle && !verifyPath(recordHash, merkle.path, content.hash))
    ) {
      throw contradiction("a record does not lead to what was anchored");
    }
    return { proof: { documentId, hash, recordHash, metadata, acceptedAt, outcome, merkle }, anchored };
  }
}

function recordFault({ documentId, hash, metadata, recordHash: recorded }: ConfirmedProof): string | undefined {
  const recomputed = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type ?? "", hash });
  return Buffer.compare(recomputed, recorded) === 0 ? undefined : "a record does not belong to its recorded hash";
}

function contradiction(fault: string): SealbookError {
  return new SealbookError("conflict", `no statement can be made: ${fault}`);
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("latin1");
}
