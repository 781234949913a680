import { checkEntries, checkExtent } from "../check/check-entries.ts";
import { type EntryFinding, entryFindingText } from "../check/entry-finding.ts";
import type { Database } from "../engine/database.ts";
import { readHead } from "../entries/journal-rows.ts";
import { GENESIS } from "../integrity/entry-chain.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { DivergenceTracker } from "./divergence-tracker.ts";

export interface EntryCheckDeps {
  readonly database: Database;
  readonly key: JournalKey;
  readonly divergences: DivergenceTracker;
}

/** Checks all entries of the journal, and that each proof is found by its keys. */
export class EntryCheck {
  readonly #deps: EntryCheckDeps;

  constructor(deps: EntryCheckDeps) {
    this.#deps = deps;
  }

  async run(isStopped: () => boolean): Promise<void> {
    const { database, key, divergences } = this.#deps;
    const head = await readHead(database);
    /** The first finding of each kind of divergence, which many can follow. */
    const found = new Map<"entries" | "index", EntryFinding>();
    const keep = (finding: EntryFinding): void => {
      const kind = finding.kind === "key_missing" ? "index" : "entries";
      if (!found.has(kind)) found.set(kind, finding);
    };
    for await (const { findings } of checkEntries({ database, key, start: GENESIS, head, readsIndex: true })) {
      if (isStopped()) return;
      findings.forEach(keep);
    }
    (await checkExtent(database, head)).forEach(keep);
    for (const kind of ["entries", "index"] as const) {
      const finding = found.get(kind);
      if (finding === undefined) await divergences.resolved({ kind });
      else await divergences.diverged({ kind }, entryFindingText(finding));
    }
  }
}
