import { assert } from "chai";
import { getBytes, hexlify, keccak256 } from "ethers";
import { verifyPath } from "../../server/journal/integrity/merkle.ts";
import type { Proof, ProofRequest } from "../../server/proofs/proof.ts";
import { proofsOnDisk } from "../support/journal-rows.ts";
import type { Disk } from "./disk.ts";
import type { SimulatedChain } from "./simulated-chain.ts";

/** A signed transaction by its hash, or an earlier version of it. */
const SIGNED = `select id from transactions where hash = ?
  union select transaction_id from transaction_versions where hash = ?`;

/** An accepted record, by what identifies it. */
interface Accepted {
  readonly documentId: string;
  readonly timestamp: number;
  readonly hash: string;
  readonly recordHash: string;
  /** The confirmed response, if there was one. */
  confirmed: string | undefined;
}

/** The responses to clients, which must stay true. */
export class Ledger {
  readonly accepted = new Map<string, Accepted>();
  /** Records that a response reported as new. */
  readonly #new = new Set<string>();
  /** Signed transactions that were sent. */
  readonly #sent = new Set<string>();

  acknowledge(requests: readonly ProofRequest[], proofs: readonly Proof[], isNew: boolean): void {
    assert.lengthOf(proofs, requests.length, "each document has its proof");
    for (const [index, { documentId, hash, metadata }] of requests.entries()) {
      const proof = proofs[index];
      if (proof === undefined) continue;
      assert.deepEqual(
        [proof.documentId, hexlify(proof.hash), proof.metadata.timestamp],
        [documentId, hexlify(hash), metadata.timestamp],
      );
      const key = `${documentId} ${metadata.timestamp} ${hexlify(hash)}`;
      const before = this.accepted.get(key);
      if (isNew && requests.length === 1) {
        assert.isFalse(this.#new.has(key), `${documentId} was new twice`);
        this.#new.add(key);
      }
      const confirmed =
        proof.outcome.state === "confirmed"
          ? JSON.stringify([hexlify(proof.outcome.transactionHash), proof.outcome.block.number])
          : undefined;
      // An earlier response, or one of another relayer, may still be pending.
      if (before?.confirmed !== undefined && confirmed !== undefined)
        assert.strictEqual(confirmed, before.confirmed, "what is confirmed stays as it is");
      this.accepted.set(key, {
        documentId,
        timestamp: metadata.timestamp ?? 0,
        hash: hexlify(hash),
        recordHash: hexlify(proof.recordHash),
        confirmed: confirmed ?? before?.confirmed,
      });
    }
  }

  /** Whether a process that starts now would find everything. */
  assertKept(disk: Disk): void {
    const rows = disk.query(proofsOnDisk);
    const kept = new Set(
      rows.map((row) => `${row.document_id} ${row.timestamp} ${hexlify(row.hash)} ${hexlify(row.recordHash)}`),
    );
    for (const { documentId, timestamp, hash, recordHash } of this.accepted.values()) {
      assert.isTrue(
        kept.has(`${documentId} ${timestamp} ${hash} ${recordHash}`),
        `${documentId} was accepted and is not on disk`,
      );
    }
    assert.strictEqual(kept.size, rows.length, "no record has two proofs");
  }

  /** Whether a transaction could be sent again, as it is, after a crash just now. */
  assertSigned(raw: string, disk: Disk): void {
    if (this.#sent.has(raw)) return;
    this.#sent.add(raw);
    const hash = getBytes(keccak256(raw));
    const found = disk.query((database) => database.prepare(SIGNED).get(hash, hash));
    assert.isDefined(found, "what is sent is on disk");
  }

  /** Checks that confirmed responses are true. */
  assertOnChain(proofs: readonly Proof[], chain: SimulatedChain): void {
    for (const { outcome, recordHash, merkle, documentId } of proofs) {
      if (outcome.state !== "confirmed") continue;
      const block = chain.blocks[outcome.block.number];
      const mined = block?.transactions.find(({ hash }) => hash === hexlify(outcome.transactionHash));
      assert.isTrue(mined?.succeeded, `${documentId} was called confirmed, and its transaction is not on chain`);
      assert.strictEqual(
        mined?.anchor?.hash,
        hexlify(merkle?.root ?? recordHash),
        `${documentId} is under another anchor`,
      );
      if (merkle !== undefined)
        assert.isTrue(verifyPath(recordHash, merkle.path, merkle.root), `the path of ${documentId}`);
    }
  }
}
