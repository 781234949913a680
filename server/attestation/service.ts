import { SealbookError } from "../errors.ts";
import type { AnchorTrees, BundleService, ConfirmedProof, ProofCheck, ProofJournal } from "../proofs/index.ts";
import type { Issuer } from "../issuer/issuer.ts";
import type { SigningKey } from "../issuer/signing-key.ts";
import { anchorQuery } from "../chain/contracts/anchor-inspection.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { EntryVerifier } from "../journal/entries/verified-entries.ts";
import type { Clock } from "../kit/time.ts";
import { hex } from "../kit/bytes.ts";
import type { JournalEvents } from "../journal/events.ts";
import type { RecoveryService } from "../recovery/index.ts";
import type { AttestationSubject } from "./api.ts";
import type { Audience, Statement } from "./responses.ts";
import type { AttestationFacts, AttestedProof } from "./facts.ts";
import { type Attachment, attachmentsOf, VERIFIER_FILE } from "./facts.ts";
import { attestationOf } from "./statement.ts";
import { LaggingError, unavailable } from "../chain/rpc/rpc.ts";

/** Maximum records in a statement. */
const MAX_RECORDS = 1_000;
/** Maximum portable proofs of the newest records; the record with the earliest anchor has one, too. */
const MAX_NEWEST_BUNDLES = 16;

export interface AttestationServiceDeps {
  readonly journal: Pick<ProofJournal, "proofs">;
  readonly trees: AnchorTrees;
  readonly entryVerifier: Pick<EntryVerifier, "begin">;
  /** Begins to check proofs for one request. */
  readonly beginCheck: () => ProofCheck;
  readonly chain: Pick<ProofAnchorClient, "inspect" | "inclusionOf" | "chain" | "verifyQuery">;
  readonly bundles: Pick<BundleService, "bundleFor">;
  /** The text of the verifier. */
  readonly verifier: string;
  readonly recovery: Pick<RecoveryService, "signedVerification">;
  readonly issuer: Pick<Issuer, "signingKey">;
  readonly issuerName: string;
  /** Available after the server listens. */
  readonly installation: () => AttestationFacts["installation"];
  /** URL of the published keys. */
  readonly jwksUrl: () => string;
  readonly telemetry: Pick<JournalEvents, "journalDiverged">;
  readonly clock: Clock;
}

/** A proof with its Merkle path, and the hash or root that is anchored. */
interface Completed {
  readonly proof: AttestedProof["proof"];
  readonly anchored: Uint8Array;
}

/** A record before its portable proof is added. */
type CheckedProof = Omit<AttestedProof, "bundle">;

/** A statement and the key that it names. */
export interface UnsignedAttestation {
  readonly attestation: Statement;
  readonly key: SigningKey;
  /** The files that the statement names, with their digests. */
  readonly attachments: readonly Attachment[];
}

/** Collects the facts of statements and checks each of them against the chain. */
export class AttestationService {
  readonly #deps: AttestationServiceDeps;

  constructor(deps: AttestationServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Creates a statement.
   * @throws SealbookError `not_found` if there is no confirmed record; `conflict` if the chain contradicts the journal,
   *   or the result of a comparison was not signed when it ended; `journal_damaged` if the database has other facts
   *   than the journal's checkpoint covers; `chain_unavailable`
   */
  async attest(subject: AttestationSubject, audience: Audience): Promise<UnsignedAttestation> {
    const { issuer, issuerName, installation, jwksUrl, verifier, clock } = this.#deps;
    const key = await issuer.signingKey();
    const found = await this.#facts(subject, key);
    const facts = {
      ...found,
      verifier: { file: VERIFIER_FILE, content: verifier },
      issuedAt: Math.floor(clock() / 1000),
      issuer: {
        name: issuerName,
        publicKey: key.publicKey,
        jwksUrl: jwksUrl(),
      },
      installation: installation(),
    };
    return { attestation: await attestationOf(facts, audience), key, attachments: attachmentsOf(facts) };
  }

  async #facts(subject: AttestationSubject, key: SigningKey) {
    const { recovery, chain } = this.#deps;
    if ("verificationId" in subject) {
      const verification = await recovery.signedVerification(subject.verificationId);
      const { block } = await chain.inspect([]);
      return { verification, queriedAt: block, trust: await chain.chain.trust([block]) };
    }
    const { listed, count, pendingCount } = await this.#recordsOf(subject);
    const { block, trust, records } = await this.#checked(listed);
    const [newest, ...older] = await this.#withBundles(records, key);
    if (newest === undefined) {
      const what = "documentId" in subject ? "this document" : "this hash";
      throw new SealbookError(
        "not_found",
        pendingCount > 0 ? `no record of ${what} is confirmed yet` : `there is no record of ${what}`,
      );
    }
    const { recordHash, merkle } = newest.proof;
    const queries = {
      anchor: anchorQuery(merkle?.root ?? recordHash),
      verify: merkle && chain.verifyQuery(recordHash, merkle.path, merkle.root),
    };
    return { subject, records: [newest, ...older] as const, count, pendingCount, queries, queriedAt: block, trust };
  }

  /** Checks the records of a subject: each counts as confirmed or as pending. The newest ones are listed. */
  async #recordsOf(subject: RecordSubject) {
    const { journal, entryVerifier, beginCheck } = this.#deps;
    const check = beginCheck();
    const listed: ConfirmedProof[] = [];
    let [count, pendingCount] = [0, 0];
    for await (const page of journal.proofs.ofSubject(subject, entryVerifier.begin())) {
      for (const proof of page) {
        // The chain is asked about each that is listed, and about each that the journal has no confirmation of.
        const isListed = listed.length < MAX_RECORDS;
        const result = isListed ? await check.of(proof) : await check.counted(proof);
        if (result.state === "contradicted") throw contradiction(result.fault);
        if (result.state === "pending") pendingCount += 1;
        else {
          count += 1;
          if (isListed) listed.push(result.proof);
        }
      }
    }
    return { listed, count, pendingCount };
  }

  /** Asks the contract about the checked records. */
  async #checked(proofs: readonly ConfirmedProof[]) {
    const { chain, trees } = this.#deps;
    const complete: Completed[] = [];
    for (const stored of proofs) {
      const proof = { ...(await trees.complete(stored)), outcome: stored.outcome };
      complete.push({ proof, anchored: proof.merkle?.root ?? proof.recordHash });
    }
    // Records of one batch share their root, which is queried once.
    const indexes = new Map<string, number>();
    const hashes = complete
      .map(({ anchored }) => anchored)
      .filter((hash) => {
        const key = keyOf(hash);
        return !indexes.has(key) && indexes.set(key, indexes.size);
      });
    const { block, anchors } = await chain.inspect(hashes);
    if (complete.some(({ proof }) => proof.outcome.block.number > block.number))
      throw unavailable(new LaggingError(`the node has blocks to ${block.number} only, not those of the records`));
    for (const [index, hash] of hashes.entries()) {
      const inspected = anchors[index];
      // The contract's response is only what the node returns; the event is in the block.
      if (inspected !== undefined && inspected.time !== 0 && !(await chain.inclusionOf(hash, inspected)))
        this.#diverged(hash, "the contract's response names an anchor that its block does not have");
    }
    const trust = await chain.chain.trust([block, ...complete.map(({ proof }) => proof.outcome.block)]);
    const records = complete.map(({ proof, anchored }): CheckedProof => {
      const inspected = anchors[indexes.get(keyOf(anchored)) ?? -1];
      if (inspected === undefined || inspected.time === 0 || inspected.blockNumber > proof.outcome.block.number) {
        return this.#diverged(anchored, "the contract has no anchor of a record at the newest block");
      }
      const { response, ...firstAnchor } = inspected;
      return { proof, firstAnchor, response };
    });
    return { block, trust, records };
  }

  /** Adds portable proofs, of a bounded number of records: to the newest ones, and to the one anchored first. */
  async #withBundles(records: readonly CheckedProof[], key: SigningKey): Promise<AttestedProof[]> {
    const earliest = records.reduce<CheckedProof | undefined>(
      (first, each) => (first !== undefined && first.firstAnchor.time <= each.firstAnchor.time ? first : each),
      undefined,
    );
    const attested: AttestedProof[] = [];
    for (const [index, record] of records.entries()) {
      const content =
        index < MAX_NEWEST_BUNDLES || record === earliest
          ? await this.#deps.bundles.bundleFor(record.proof, key)
          : undefined;
      const bundle = content === undefined ? undefined : { file: `proof-${index + 1}.bundle.json`, content };
      attested.push({ ...record, bundle });
    }
    return attested;
  }

  /** Raises a divergence and throws. */
  #diverged(root: Uint8Array, fault: string): never {
    this.#deps.telemetry.journalDiverged(`root ${hex(root)}`, fault);
    throw contradiction(fault);
  }
}

type RecordSubject = Exclude<AttestationSubject, { readonly verificationId: string }>;

function contradiction(fault: string): SealbookError {
  return new SealbookError("conflict", `the server cannot sign a statement: ${fault}`);
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("latin1");
}
