import { randomBytes } from "node:crypto";
import type { Journal } from "../../server/composition/journal.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import type { AcceptedProof } from "../../server/proofs/proof.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { createJournal } from "../../server/composition/journal.ts";
import { KEY } from "./journal-key.ts";
import { minedAs } from "./mined.ts";
import { transactionStore } from "../../server/journal/transactions/transaction-store.ts";

const ADDRESS = `0x${"11".repeat(20)}`;

/** Writes a journal like the server, without a chain. Documents, hashes and blocks are deterministic. */
export class JournalWriter {
  readonly journal: Journal;
  readonly #database: Database;
  #documents = 0;
  #nonce = 0;
  #block = 100;

  /** @param former The writer of a database that this one is a copy of */
  constructor(database: Database, former?: JournalWriter, key = KEY) {
    this.#database = database;
    if (former !== undefined) {
      this.#documents = former.#documents;
      this.#nonce = former.#nonce;
      this.#block = former.#block;
    }
    this.journal = createJournal(database, key, {
      SessionRegistry: ADDRESS,
      EventTable: ADDRESS,
      ProofAnchor: ADDRESS,
    });
  }

  account(): Promise<void> {
    return this.journal.accounts.insert({
      address: `0x${randomBytes(20).toString("hex")}`,
      keystore: "{}",
      scope: "full",
      createdAt: 5,
    });
  }

  proof(anchorId: number, leafIndex: number, changes: Partial<AcceptedProof> = {}): AcceptedProof {
    const documentId = changes.documentId ?? `document ${(this.#documents += 1)}`;
    const hash = changes.hash ?? randomBytes(32);
    const metadata = changes.metadata ?? { timestamp: this.#documents, type: "log", source: "test", note: "n" };
    const recorded = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type ?? "", hash });
    return {
      documentId,
      hash,
      recordHash: recorded,
      metadata,
      acceptedAt: 1_700_000_000_000,
      anchorId,
      leafIndex,
    };
  }

  /** Opens a batch with proofs in it. */
  open(size: number): Promise<{ anchorId: number; proofs: AcceptedProof[] }> {
    return this.journal.atomically(async (atomic) => {
      const anchorId = await atomic.anchors.open(1);
      const proofs = Array.from({ length: size }, (_, leaf) => this.proof(anchorId, leaf));
      await atomic.proofs.insert(proofs);
      return { anchorId, proofs };
    });
  }

  /** @returns the transaction to anchor it */
  close(anchorId: number, proofs: readonly AcceptedProof[]): Promise<number> {
    return this.journal.atomically(async (atomic) => {
      const { content } = contentOver(proofs.map((proof) => proof.recordHash));
      const transactionId = await atomic.intents.insert({
        purpose: "anchor",
        contract: "ProofAnchor",
        data: content.hash,
      });
      await atomic.anchors.close(anchorId, { ...content, transactionId });
      return transactionId;
    });
  }

  /** Records the outcome of a transaction. */
  async recordOutcome(id: number, state: "confirmed" | "reverted" = "confirmed"): Promise<void> {
    const transactions = transactionStore(this.#database, KEY);
    const queued = await transactions.queued(1000);
    await transactions.claim(
      ADDRESS,
      queued.map((each) => ({ id: each.id, nonce: (this.#nonce += 1), raw: randomBytes(9), hash: randomBytes(32) })),
    );
    const number = (this.#block += 1);
    await transactions.recordOutcomes([
      {
        id,
        state,
        ...(await minedAs(this.#database, id)),
        block: { number, hash: randomBytes(32), time: number, validator: "v" },
      },
    ]);
  }

  /** Writes a confirmed batch. */
  async confirmed(size: number): Promise<{ anchorId: number; proofs: AcceptedProof[] }> {
    const { anchorId, proofs } = await this.open(size);
    await this.recordOutcome(await this.close(anchorId, proofs));
    return { anchorId, proofs };
  }

  /** Anchors the journal's own digest at an entry. */
  async checkpoint(sequence: number): Promise<void> {
    const transactionId = await this.journal.intents.insert({
      purpose: "anchor",
      contract: "ProofAnchor",
      data: Buffer.alloc(1),
    });
    const hash = (await this.journal.entries.digestAt(sequence)) ?? Buffer.alloc(32);
    await this.journal.anchors.addCheckpoint({ sequence, hash, transactionId, openedAt: 1 });
    await this.recordOutcome(transactionId);
  }

  /**
   * Writes every kind of entry of a valid journal: 1 an account, 2-6 a batch of five and 7 its confirmation, 8 a proof
   * alone and 9 its confirmation, 10-12 and 16 a batch that was rejected at first, confirmed in 17 and in another block
   * in 18, 13-15 another one between them, confirmed in 19, 20 the checkpoint of entry 15, 21 a proof that shares the
   * leaf of 3, 22 an account, 23-24 a batch in flight, 25-26 a failed one, 27-28 an open one.
   */
  async everything(): Promise<void> {
    await this.account();
    const { anchorId: first, proofs } = await this.confirmed(5);
    await this.confirmed(1);
    const long = await this.open(3);
    const between = await this.open(3);
    const last = this.proof(long.anchorId, 3);
    await this.journal.proofs.insert([last]);
    const all = [...long.proofs, last];
    await this.recordOutcome(await this.close(long.anchorId, all), "reverted");
    const again = await this.journal.intents.insert({
      purpose: "anchor",
      contract: "ProofAnchor",
      data: Buffer.alloc(1),
    });
    await this.journal.anchors.retry(long.anchorId, again);
    await this.recordOutcome(again);
    // The block disappears, and another one has the transaction.
    await transactionStore(this.#database, KEY).reopen(ADDRESS, this.#nonce);
    await this.recordOutcome(again);
    await this.recordOutcome(await this.close(between.anchorId, between.proofs));
    await this.checkpoint(15);
    // Has the same text as the second proof: the boundary between document and timestamp has moved.
    const second = proofs[1];
    if (second === undefined) throw new Error("the batch has no second proof");
    const text = `${second.documentId}${second.metadata.timestamp}`;
    const documentId = text.slice(0, -2);
    const sharing = this.proof(first, 1, {
      documentId,
      hash: second.hash,
      metadata: { timestamp: Number(text.slice(-2)), type: "log" },
    });
    await this.journal.proofs.insert([sharing]);
    await this.account();
    const pending = await this.open(2);
    await this.close(pending.anchorId, pending.proofs);
    const failed = await this.open(2);
    await this.recordOutcome(await this.close(failed.anchorId, failed.proofs), "reverted");
    await this.open(2);
  }
}
