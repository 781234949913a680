import type { ProofAnchorClient } from "../chain/contracts/proof-anchor-client.ts";
import type { ProofJournal } from "./proof-store.ts";
import type { JournalEvents } from "../journal/events.ts";
import { SealbookError } from "../errors.ts";
import { type LostConfirmationDeps, restoreConfirmation } from "../journal/reconciliation/confirmation-check.ts";
import {
  type AnchorOutcome,
  type AnchorQueries,
  contradictionOf,
  giveContent,
  isLeafUnder,
} from "../journal/integrity/stored-anchor.ts";
import type { EntryVerifier } from "../journal/entries/verified-entries.ts";
import type { AnchorTrees } from "./anchor-trees.ts";
import type { ConfirmedProof, StoredProof } from "./proof.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import { hex } from "../kit/bytes.ts";

type ConfirmedOutcome = Extract<AnchorOutcome, { state: "confirmed" }>;

/** Result of the verification of a document's hash. */
export type Verification =
  | {
      readonly valid: true;
      readonly proof: ConfirmedProof;
    }
  | { readonly valid: false; readonly message: string };

/** Dependencies of the verifier. */
export interface ProofVerifierDeps {
  readonly journal: Pick<ProofJournal, "proofs" | "anchors">;
  readonly chain: Pick<ProofAnchorClient, keyof AnchorQueries | "find">;
  readonly reconciliation: LostConfirmationDeps["store"];
  readonly trees: AnchorTrees;
  readonly entryVerifier: Pick<EntryVerifier, "begin">;
  readonly telemetry: Pick<JournalEvents, "journalDiverged" | "divergenceResolved" | "journalCorrected">;
}

/** Checks the journal's records against the chain. */
export class ProofVerifier {
  readonly #deps: ProofVerifierDeps;

  constructor(deps: ProofVerifierDeps) {
    this.#deps = deps;
  }

  /**
   * Checks whether a document's hash is recorded: the journal supplies the anchor, the chain is authoritative.
   * @throws SealbookError `chain_unavailable` when the chain cannot be queried; `journal_damaged` when nothing is
   *   found and a row that the index leads to was changed
   */
  async verify(hash: Uint8Array): Promise<Verification> {
    const { journal, entryVerifier, telemetry } = this.#deps;
    let isKnown = false;
    let divergence: string | undefined;
    for await (const proof of journal.proofs.byHash(hash)) {
      isKnown = true;
      const outcome = proof.outcome.state === "confirmed" ? proof.outcome : await this.#onChain(proof);
      if (outcome === undefined) continue;
      const confirmed = { ...proof, outcome };
      const message = await this.#divergence(confirmed);
      const subject = `proof ${hex(proof.recordHash)}`;
      if (message === undefined) {
        telemetry.divergenceResolved(subject);
        if (proof.outcome.state !== "confirmed") await this.#restore(proof);
        return { valid: true, proof: confirmed };
      }
      telemetry.journalDiverged(subject, message);
      divergence ??= message;
    }
    if (divergence !== undefined) return { valid: false, message: divergence };
    // A row that was changed can hide a proof.
    for await (const _ of journal.proofs.byHash(hash, entryVerifier.begin()));
    if (isKnown) return { valid: false, message: "No proof found for this hash yet: its anchoring is pending" };
    return { valid: false, message: "No proof found for this hash" };
  }

  /**
   * Checks again what an earlier verification or comparison found; resolves it when journal and chain agree.
   * @param subject `proof` or `root`, and the recorded or anchored hash
   */
  async recheck(subject: string): Promise<void> {
    const [, kind, digits = ""] = /^(proof|root) ([0-9a-f]{64})$/.exec(subject) ?? [];
    if (kind === undefined) return;
    const { journal, chain, telemetry } = this.#deps;
    const hash = Buffer.from(digits, "hex");
    if (kind === "proof") {
      const proofs = await journal.proofs.byRecordHashes([hash]);
      if (proofs.length === 0) return;
      for (const proof of proofs) {
        const outcome = proof.outcome.state === "confirmed" ? proof.outcome : await this.#onChain(proof);
        if (outcome === undefined || (await this.#divergence({ ...proof, outcome })) !== undefined) return;
      }
    } else {
      const anchor = await journal.anchors.byHash(hash);
      if (anchor?.outcome.state !== "confirmed") return;
      if (!giveContent(await journal.anchors.leaves(anchor.id), anchor)) return;
      if ((await contradictionOf(chain, anchor, anchor.outcome)) !== undefined) return;
    }
    telemetry.divergenceResolved(subject);
  }

  /** Looks an anchor up on chain that the journal has no confirmation of. */
  async #onChain({ content }: StoredProof): Promise<ConfirmedOutcome | undefined> {
    if (content === undefined) return undefined;
    try {
      const found = await this.#deps.chain.find(content);
      return found && { state: "confirmed", ...found };
    } catch (error) {
      // It is pending in the journal only.
      if (error instanceof SealbookError && error.code === "chain_unavailable") return undefined;
      throw error;
    }
  }

  /** Restores the confirmation in the journal; if that fails, the regular comparison does it. */
  async #restore({ content }: StoredProof): Promise<void> {
    const { reconciliation: store, chain, telemetry } = this.#deps;
    const restored = content && (await restoreConfirmation({ store, chain }, content.hash).catch(() => undefined));
    if (restored === undefined) return;
    const { anchor, block } = restored;
    telemetry.journalCorrected(`the journal had lost that anchor ${anchor.id} is in block ${block.number}`);
  }

  /** Returns the contradiction between chain and journal, if there is one. */
  async #divergence(proof: StoredProof): Promise<string | undefined> {
    const { documentId, hash, metadata, outcome, content } = proof;
    const recomputed = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type, hash });
    if (Buffer.compare(recomputed, proof.recordHash) !== 0) {
      return "The journal's record of this hash does not belong to its recorded hash: the journal was changed";
    }
    if (outcome.state !== "confirmed" || content === undefined) {
      return "The journal calls this record confirmed without an anchor";
    }
    const tree = await this.#deps.trees.of(proof.anchorId, content).catch(() => undefined);
    if (!isLeafUnder(proof.recordHash, proof.leafIndex, content, tree)) {
      return "The journal's record of this hash is not under its anchor: the journal was changed";
    }
    return contradictionOf(this.#deps.chain, content, outcome);
  }
}
