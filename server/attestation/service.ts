import { yieldToEventLoop } from "../kit/event-loop.ts";
import { SealbookError } from "../errors.ts";
import {
  type AnchorTrees,
  type BundleService,
  type ConfirmedProof,
  type Proof,
  type ProofJournal,
  verifiedProof,
} from "../proofs/index.ts";
import type { Issuer } from "../issuer/issuer.ts";
import type { SigningKey } from "../issuer/signing-key.ts";
import { verifyPath } from "../journal/integrity/merkle.ts";
import { anchorQuery } from "../chain/contracts/anchor-inspection.ts";
import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { EntryVerifier, VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { Clock } from "../kit/time.ts";
import { hex } from "../kit/bytes.ts";
import type { JournalEvents } from "../journal/events.ts";
import { AnchorAudit, type RecoveryService } from "../recovery/index.ts";
import type { AttestationSubject } from "./api.ts";
import type { Audience, Statement } from "./responses.ts";
import type { AttestationFacts, AttestedProof } from "./facts.ts";
import { type Attachment, attachmentsOf, VERIFIER_FILE } from "./facts.ts";
import { attestationOf } from "./statement.ts";
import { LaggingError, unavailable } from "../chain/rpc/rpc.ts";

/** Maximum records in a statement. */
const MAX_RECORDS = 1_000;
/** Records that are checked at a time: other requests are served in between. */
const RECORDS_AT_ONCE = 20;
/** Maximum portable proofs of the newest records; the record with the earliest anchor has one, too. */
const MAX_NEWEST_BUNDLES = 16;

export interface AttestationServiceDeps {
  readonly journal: Pick<ProofJournal, "proofs" | "anchors">;
  readonly trees: AnchorTrees;
  readonly entryVerifier: Pick<EntryVerifier, "begin">;
  readonly chain: Pick<
    ProofAnchorClient,
    "anchorOf" | "blockOf" | "blockHash" | "hasSeen" | "inspect" | "inclusionOf" | "chain" | "verifyQuery"
  >;
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
    const { recovery, chain, journal, entryVerifier } = this.#deps;
    if ("verificationId" in subject) {
      const verification = await recovery.signedVerification(subject.verificationId);
      const { block } = await chain.inspect([]);
      return { verification, queriedAt: block, trust: await chain.chain.trust([block]) };
    }
    const checked = entryVerifier.begin();
    const { newest: listed, count, isKnown } = await journal.proofs.confirmed(subject, MAX_RECORDS, checked);
    const { block, trust, records } = await this.#checked(listed, checked);
    const [newest, ...older] = await this.#withBundles(records, key);
    if (newest === undefined) {
      const what = "documentId" in subject ? "this document" : "this hash";
      throw new SealbookError(
        "not_found",
        isKnown ? `no record of ${what} is confirmed yet` : `there is no record of ${what}`,
      );
    }
    const { recordHash, merkle } = newest.proof;
    const queries = {
      anchor: anchorQuery(merkle?.root ?? recordHash),
      verify: merkle && chain.verifyQuery(recordHash, merkle.path, merkle.root),
    };
    return { subject, records: [newest, ...older] as const, count, queries, queriedAt: block, trust };
  }

  /** Runs the checks that the statement lists. */
  async #checked(proofs: readonly ConfirmedProof[], checked: VerifiedEntries) {
    const { journal, chain, telemetry } = this.#deps;
    const audit = new AnchorAudit(journal.anchors, chain, telemetry);
    const complete: Completed[] = [];
    for (const [index, stored] of proofs.entries()) {
      if (index % RECORDS_AT_ONCE === 0) await yieldToEventLoop();
      const fault = await audit.faultOf(stored);
      if (fault !== undefined) throw contradiction(fault);
      const proof = await verifiedProof(checked, stored);
      complete.push(await this.#complete(proof));
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
        this.#diverged("root", hash, "the contract's response names an anchor that its block does not have");
    }
    const trust = await chain.chain.trust([block, ...complete.map(({ proof }) => proof.outcome.block)]);
    const records = complete.map(({ proof, anchored }): CheckedProof => {
      const inspected = anchors[indexes.get(keyOf(anchored)) ?? -1];
      if (inspected === undefined || inspected.time === 0 || inspected.blockNumber > proof.outcome.block.number) {
        return this.#diverged("root", anchored, "the contract has no anchor of a record at the newest block");
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

  /** Adds the Merkle path to a proof and verifies that it leads to the anchor. */
  async #complete(stored: ConfirmedProof): Promise<Completed> {
    const { documentId, hash, recordHash, metadata, acceptedAt, outcome, content, anchorId, leafIndex: index } = stored;
    const tree = content && (await this.#deps.trees.of(anchorId, content));
    const merkle: Proof["merkle"] = tree && { root: tree.root, leaf: tree.leaf(index), index, path: tree.path(index) };
    const anchored = merkle?.root ?? recordHash;
    if (
      content === undefined ||
      Buffer.compare(anchored, content.hash) !== 0 ||
      (merkle && !verifyPath(recordHash, merkle.path, content.hash))
    ) {
      return this.#diverged("proof", recordHash, "the Merkle path of a record does not lead to its anchor");
    }
    return { proof: { documentId, hash, recordHash, metadata, acceptedAt, outcome, merkle }, anchored };
  }

  /** Raises a divergence and throws. */
  #diverged(what: "proof" | "root", hash: Uint8Array, fault: string): never {
    this.#deps.telemetry.journalDiverged(`${what} ${hex(hash)}`, fault);
    throw contradiction(fault);
  }
}

function contradiction(fault: string): SealbookError {
  return new SealbookError("conflict", `the server cannot sign a statement: ${fault}`);
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString("latin1");
}
