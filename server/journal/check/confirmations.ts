import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import { type Clock, millisecondsSince } from "../../kit/time.ts";
import type { ChainFault } from "../integrity/stored-anchor.ts";
import { type ChainQueries, compareWithChain } from "./chain-comparison.ts";
import { anchorFinding, isNewest, readAnchorRows, type ReadConfirmation, standingOf } from "./anchor-rows.ts";
import type { Database } from "../engine/database.ts";
import { entryOf } from "../entries/entry-source.ts";
import { rowsOf, rowWith } from "../entries/journal-rows.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { Findings } from "../findings/findings.ts";
import { divergenceOf, type Finding, findingText } from "./finding.ts";
import type { Repairs } from "./repairs.ts";

/** Number of confirmations compared in every pass: a chain reorganization changes the newest first. */
const NEWEST = 16;
/** Confirmations that wait for a node which may lag; further ones do not wait. */
const MOST_LAGGING = 1_024;
/** Time for which a node may lack a block before that is a divergence: it may lag, or its chain may be recovering. */
const LAG_MILLISECONDS = 30_000;

export interface ConfirmationCheckDeps {
  readonly database: Database;
  readonly key: JournalKey;
  readonly chain: ChainQueries & Pick<ProofAnchorClient, "blockHash">;
  /** Those of the leader. */
  readonly repairs: Repairs | undefined;
  readonly clock: Clock;
}

/** Takes what was found, or that it is over. */
export interface Results {
  readonly found: (finding: Finding) => void;
  readonly agrees: (sequence: number) => void;
  /** Whether a difference of a confirmation is known. */
  readonly isKnown: (sequence: number) => boolean;
  /** A transaction is in another block: the chain was reorganised. */
  readonly moved: () => void;
}

/** Takes results into what a relayer has found. */
export function resultsInto(findings: Findings): Results {
  return {
    found: (finding) => findings.journalDiverged(divergenceOf(finding), findingText(finding)),
    agrees: (sequence) => findings.divergenceResolved(`confirmation ${sequence}`),
    isKnown: (sequence) => findings.has(`confirmation ${sequence}`),
    // Further confirmations may have moved.
    moved: () => findings.askForCheck(),
  };
}

/** Compares confirmations with the chain. */
export class ConfirmationCheck {
  readonly #deps: ConfirmationCheckDeps;
  /** The newest confirmations that were compared. */
  #newest: readonly ReadConfirmation[] = [];
  /** Confirmations whose block the node lacks, and since when, by their entries. */
  readonly #lagging = new Map<number, { readonly confirmation: ReadConfirmation; readonly since: number }>();

  constructor(deps: ConfirmationCheckDeps) {
    this.#deps = deps;
  }

  /** Compares the newest ones again, and those that a node lacked which may have lagged. */
  again(results: Results): Promise<void> {
    const lagging = [...this.#lagging.values()].map(({ confirmation }) => confirmation);
    return this.compare([...lagging, ...this.#newest], results);
  }

  /** Has the newest confirmations of the journal compared, of a process that has compared none yet. */
  async remember(): Promise<void> {
    const { database, key } = this.#deps;
    const newest = await database
      .selectFrom("confirmations")
      .select("sequence")
      .orderBy("sequence", "desc")
      .limit(NEWEST)
      .execute();
    const sequences = newest.map(({ sequence }) => sequence).reverse();
    // The walk reports a row that was changed.
    const rows = await rowsOf(database, key, sequences).catch(() => []);
    const entries = sequences.flatMap((sequence) => {
      const row = rowWith(rows, sequence);
      const entry = row && entryOf(sequence, row.text(sequence));
      return entry?.kind === "confirmation" ? [entry] : [];
    });
    const anchors = await readAnchorRows(
      database,
      entries.map(({ anchor }) => anchor),
    );
    this.#newest = entries.flatMap((entry) => {
      const row = anchors.get(entry.anchor);
      return row === undefined ? [] : [{ entry, row }];
    });
  }

  /** @throws SealbookError `chain_unavailable` */
  async compare(confirmations: readonly ReadConfirmation[], results: Results): Promise<void> {
    const newest = confirmations.filter(isNewest);
    await compareWithChain(this.#deps.chain, newest, (each, fault) => this.#take(each, fault, results));
    const known = new Map([...this.#newest, ...newest].map((each) => [each.entry.sequence, each]));
    this.#newest = [...known.values()].sort((a, b) => a.entry.sequence - b.entry.sequence).slice(-NEWEST);
  }

  async #take(before: ReadConfirmation, fault: ChainFault | undefined, results: Results): Promise<void> {
    const { entry } = before;
    const { sequence, anchor, block_number: block } = entry;
    const { database, key, repairs } = this.#deps;
    const row = (await readAnchorRows(database, [anchor])).get(anchor);
    const standing = standingOf(key, entry, row, fault);
    if (standing !== "absent") this.#lagging.delete(sequence);
    if (standing === "agrees" || (standing === "unnamed" && (await repairs?.nameConfirmation(entry)) === true))
      return results.agrees(sequence);
    if (standing === "unnamed") return results.found(anchorFinding(anchor, sequence, "unconfirmed"));
    if (standing !== "absent" || row === undefined || fault === undefined) return;
    if ((await repairs?.confirmAgain(entry, row)) === true) {
      results.agrees(sequence);
      results.moved();
    } else if (results.isKnown(sequence) || !(await this.#mayLag(before)))
      results.found({ kind: "chain_differs", sequence, anchor, block, fault });
  }

  /** Returns whether the node may lag, for instance one of several behind a load balancer. */
  async #mayLag(confirmation: ReadConfirmation): Promise<boolean> {
    const { chain, clock } = this.#deps;
    const { sequence, block_number: number } = confirmation.entry;
    if ((await chain.blockHash(number)) !== undefined) {
      this.#lagging.delete(sequence);
      return false;
    }
    const since = this.#lagging.get(sequence)?.since;
    if (since === undefined && this.#lagging.size >= MOST_LAGGING) return false;
    this.#lagging.set(sequence, { confirmation, since: since ?? clock() });
    return since === undefined || millisecondsSince(since, clock()) < LAG_MILLISECONDS;
  }
}
