import { hash as digest } from "node:crypto";
import type { AnchorOutcome } from "../../server/journal/integrity/stored-anchor.ts";
import { AnchoredLeaves } from "../../server/proofs/anchored-leaves.ts";
import { ProofCheck, type ProofCheckDeps } from "../../server/proofs/check.ts";
import type { AnchorContent } from "../../server/chain/contracts/anchors.ts";
import { RecoveryService } from "../../server/recovery/service.ts";
import { SealbookError } from "../../server/errors.ts";
import { EntryVerifier } from "../../server/journal/entries/verified-entries.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { VerificationRetention, type VerificationLimits } from "../../server/recovery/verification-retention.ts";
import { verificationStore } from "../../server/recovery/verification-store.ts";
import { JournalWriter } from "./journal-writer.ts";
import { KEY } from "./journal-key.ts";

/** The outcome of documents that were recorded together. */
export type Fate = "confirmed" | "failed" | "pending";

/** A recorded document; the model of a journal is a list of these. */
export interface Recorded {
  readonly documentId: string;
  readonly hash: Uint8Array;
  /** Its block's time; `undefined` when it is not on chain. */
  readonly time: number | undefined;
}

const LIMITS: VerificationLimits = { retentionMilliseconds: 3_600_000, perCaller: 1_000_000, total: 1_000_000 };

type Confirmed = Extract<AnchorOutcome, { state: "confirmed" }>;

/** A journal without a server: its chain has exactly the confirmed records, unless a test removes some. */
export class RecoveryHistory {
  readonly recorded: Recorded[] = [];
  readonly service: RecoveryService;
  readonly kept: VerificationRetention;
  /** Unix milliseconds. */
  now = 1_700_000_000_000;
  readonly clock = () => this.now;
  readonly writer: JournalWriter;
  /** Anchors on chain, by their hashes. */
  readonly onChain = new Map<string, AnchorContent & { readonly outcome: Confirmed }>();
  /** Reported divergences. */
  readonly diverged: string[] = [];
  /** What the chain says is its newest block. */
  newestBlock = 1_000;
  #timestamp = 1_000;

  readonly database: Database;

  constructor(database: Database, limits: VerificationLimits = LIMITS) {
    this.database = database;
    this.writer = new JournalWriter(database);
    const verifications = verificationStore(database, KEY);
    this.kept = new VerificationRetention({ store: verifications, limits, clock: this.clock });
    const { anchors } = this.writer.journal;
    const leaves = new AnchoredLeaves(anchors);
    const telemetry = { journalDiverged: (subject: string) => void this.diverged.push(subject) };
    this.service = new RecoveryService({
      journal: this.writer.journal,
      verifications,
      retention: this.kept,
      chain: {
        firstBlock: 0,
        newestBlock: async () => this.newestBlock,
        anchors: async (from, to) =>
          [...this.onChain.values()]
            .map(({ hash, size, outcome }) => ({
              hash,
              size,
              contract: outcome.contract,
              transactionHash: outcome.transactionHash,
              blockNumber: outcome.block.number,
            }))
            .filter(({ blockNumber }) => blockNumber >= from && blockNumber <= to)
            .sort((a, b) => a.blockNumber - b.blockNumber),
      },
      verifier: new EntryVerifier({ database, key: KEY, onDamage: telemetry.journalDiverged }),
      assertFindable: () => undefined,
      beginCheck: () => new ProofCheck({ anchors, leaves, chain: this.#chain(), telemetry }),
      issuer: {
        sign: () => Promise.reject(new SealbookError("journal_damaged", "the issuer signs nothing")),
        hasSigned: async () => false,
      },
      clock: this.clock,
      assertLeads: () => undefined,
    });
  }

  /** Records contents of documents under one anchor. Each block is a second after the previous one. */
  async record(
    documents: readonly (readonly [documentId: string, content: string])[],
    fate: Fate = "confirmed",
  ): Promise<number> {
    const { journal } = this.writer;
    const { anchorId, proofs } = await journal.atomically(async (atomic) => {
      const id = await atomic.anchors.open(1);
      const placed = documents.map(([documentId, content], leaf) =>
        this.writer.proof(id, leaf, {
          documentId,
          hash: contentHash(content),
          metadata: { timestamp: (this.#timestamp += 1) },
        }),
      );
      await atomic.proofs.insert(placed);
      return { anchorId: id, proofs: placed };
    });
    if (fate !== "pending")
      await this.writer.recordOutcome(
        await this.writer.close(anchorId, proofs),
        fate === "failed" ? "reverted" : "confirmed",
      );
    const time = await this.#putOnChain(anchorId);
    for (const { documentId, hash } of proofs) this.recorded.push({ documentId, hash, time });
    return anchorId;
  }

  /** Confirms pending documents, in the next block. */
  async confirm(anchorId: number): Promise<void> {
    const proofs = await this.writer.journal.proofs.byAnchor(anchorId, 0, 1_000);
    await this.writer.recordOutcome(await this.writer.close(anchorId, proofs));
    await this.#putOnChain(anchorId);
  }

  /** @returns the time of the anchor's block; `undefined` when it is not confirmed */
  async #putOnChain(anchorId: number): Promise<number | undefined> {
    const anchor = await this.writer.journal.anchors.find(anchorId);
    if (anchor?.outcome.state !== "confirmed") return undefined;
    this.onChain.set(hex(anchor.hash), { ...anchor, outcome: anchor.outcome });
    return anchor.outcome.block.time;
  }

  #chain(): ProofCheckDeps["chain"] {
    return {
      anchorOf: async (hash) => {
        const anchor = this.onChain.get(hex(hash));
        return (
          anchor && {
            contract: anchor.outcome.contract,
            time: anchor.outcome.block.time,
            blockNumber: anchor.outcome.block.number,
            size: anchor.size,
          }
        );
      },
      blockOf: async (transactionHash, hash) => {
        const outcome = this.onChain.get(hex(hash))?.outcome;
        return outcome !== undefined && hex(outcome.transactionHash) === hex(transactionHash)
          ? outcome.block
          : undefined;
      },
      find: async ({ hash, size }) => {
        const anchor = this.onChain.get(hex(hash));
        return anchor?.size === size ? anchor.outcome : undefined;
      },
      blockHash: async () => new Uint8Array(32),
      hasSeen: () => true,
    };
  }
}

/** Returns the SHA-256 of a content. */
export function contentHash(content: string): Uint8Array {
  return digest("sha256", content, "buffer");
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
