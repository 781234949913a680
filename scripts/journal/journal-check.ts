import {
  anchorFinding,
  isInFlight,
  isNewest,
  readAnchorRows,
  type ReadConfirmation,
  standingOf,
} from "../../server/journal/check/anchor-rows.ts";
import { type ChainQueries, compareWithChain } from "../../server/journal/check/chain-comparison.ts";
import type { Finding } from "../../server/journal/check/finding.ts";
import { findBeyond, JournalWalk } from "../../server/journal/check/walk.ts";
import type { Database } from "../../server/journal/engine/database.ts";
import { readHead } from "../../server/journal/entries/journal-rows.ts";
import { NOTHING_SETTLED } from "../../server/journal/integrity/head-file.ts";
import type { JournalKey } from "../../server/journal/integrity/journal-key.ts";

/** What is checked. */
export interface JournalCheckDeps {
  readonly database: Database;
  /** `undefined`: rows have to give their digests only. */
  readonly key: JournalKey | undefined;
  /** Unset: no comparison with the chain. */
  readonly chain?: ChainQueries;
  /** Takes each finding as soon as it is determined. */
  readonly onFinding: (finding: Finding) => void;
  /** Takes the progress. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The extent of a check. */
export interface CheckResult {
  /** False when the check was interrupted. */
  readonly isComplete: boolean;
  /** The newest checked entry. */
  readonly to: number;
  /** The digest that is stored with its row. */
  readonly digest: Uint8Array;
  readonly proofs: number;
  readonly confirmations: number;
  readonly accounts: number;
  /** Confirmations of checkpoints. */
  readonly checkpoints: number;
  /** Leaves that no entry confirms. */
  readonly pending: number;
  /** Confirmations that were compared with the chain. */
  readonly compared: number;
  readonly findings: number;
}

/**
 * Checks a journal up to its newest entry, as a server does regularly. It only reads, and can run beside a server.
 * @param signal Once aborted, the check ends at the next page
 */
export async function checkJournal(deps: JournalCheckDeps, signal?: AbortSignal): Promise<CheckResult> {
  const { database, key, chain, onProgress } = deps;
  let findings = 0;
  const onFinding = (finding: Finding): void => {
    findings += 1;
    deps.onFinding(finding);
  };
  const walk = new JournalWalk({ database, key, onFinding }, NOTHING_SETTLED);
  const head = await readHead(database);
  const counts = { proof: 0, confirmation: 0, account: 0, issuer_key: 0, verification: 0, resolution: 0, store: 0 };
  let [checkpoints, compared] = [0, 0];
  let isComplete = true;
  for await (const page of walk.to(head)) {
    for (const entry of page.entries) {
      counts[entry.kind] += 1;
      if (entry.kind === "confirmation" && entry.checkpoint !== null) checkpoints += 1;
    }
    if (chain === undefined) page.confirmations.forEach((each) => checkUnasked(each, onFinding));
    else compared += await compareAll(deps, chain, page.confirmations, onFinding);
    onProgress?.(walk.at.sequence, head.sequence);
    isComplete = signal?.aborted !== true;
    if (!isComplete) break;
  }
  if (isComplete) {
    for (const { id, first, fault } of await walk.lostAnchors()) onFinding(anchorFinding(id, first, fault));
    await findBeyond({ database, key, onFinding }, walk.at);
  }
  const { proof: proofs, confirmation: confirmations, account: accounts } = counts;
  const { pending } = walk;
  const { sequence: to, digest } = walk.at;
  return { isComplete, to, digest, proofs, confirmations, accounts, checkpoints, pending, compared, findings };
}

/** Without the chain, a transaction that is in flight may have been rolled back. */
function checkUnasked(confirmation: ReadConfirmation, onFinding: (finding: Finding) => void): void {
  const { entry, row } = confirmation;
  if (!isNewest(confirmation) || row.confirmation === entry.sequence || isInFlight(row)) return;
  onFinding(anchorFinding(entry.anchor, entry.sequence, "unconfirmed"));
}

/** @returns how many were compared */
async function compareAll(
  { database, key }: JournalCheckDeps,
  chain: ChainQueries,
  confirmations: readonly ReadConfirmation[],
  onFinding: (finding: Finding) => void,
): Promise<number> {
  const newest = confirmations.filter(isNewest);
  await compareWithChain(chain, newest, async ({ entry }, fault) => {
    const { sequence, anchor, block_number: block } = entry;
    // The server may have recorded something meanwhile.
    const row = (await readAnchorRows(database, [anchor])).get(anchor);
    const standing = standingOf(key, entry, row, fault);
    if (standing === "unnamed") onFinding(anchorFinding(anchor, sequence, "unconfirmed"));
    if (standing === "absent" && fault !== undefined)
      onFinding({ kind: "chain_differs", sequence, anchor, block, fault });
  });
  return newest.length;
}
