import type { Database } from "../engine/database.ts";
import { isAmong } from "../engine/lists.ts";
import type { ConfirmationEntry } from "../entries/codec.ts";
import { isAnchorOf, isConfirmedBy } from "../integrity/anchor-code.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import type { ChainFault } from "../integrity/stored-anchor.ts";
import type { OpenAnchor } from "./open-anchors.ts";
import type { AnchorFault, Finding } from "./finding.ts";

/** The row of an anchor, with its transaction and the newest entry that confirms it. */
export type AnchorRow = Awaited<ReturnType<ReturnType<typeof select>["execute"]>>[number];

/** A confirmation, and the row of its anchor. */
export interface ReadConfirmation {
  readonly entry: ConfirmationEntry;
  readonly row: AnchorRow;
}

/** The states of transactions that end without an anchor: it is given another one. */
const FAILED = ["reverted", "refused", "cancelled"];
const IN_FLIGHT = ["queued", "sent"];
const AT_ONCE = 1_000;

/** Reads the rows of anchors. */
export async function readAnchorRows(database: Database, ids: Iterable<number>): Promise<Map<number, AnchorRow>> {
  const wanted = [...new Set(ids)];
  const rows = new Map<number, AnchorRow>();
  for (let first = 0; first < wanted.length; first += AT_ONCE) {
    const some = wanted.slice(first, first + AT_ONCE);
    for (const row of await select(database)
      .where(isAmong(database, "anchors.id", some))
      .execute())
      rows.set(row.id, row);
  }
  return rows;
}

function select(database: Database) {
  return database
    .selectFrom("anchors")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select(["anchors.id", "first_sequence", "anchors.hash", "size", "checkpoint", "anchors.code"])
    .select(["transaction_id", "confirmation", "transactions.state", "transactions.nonce"])
    .select((e) => e("transactions.raw", "is not", null).as("is_signed"))
    .select((e) =>
      e
        .selectFrom("confirmations")
        .select(({ fn }) => fn.max<number | null>("sequence").as("newest"))
        .whereRef("anchor_id", "=", "anchors.id")
        .as("newest"),
    );
}

/** Returns whether the chain is to have a confirmation: another entry does not supersede it. */
export function isNewest({ entry, row }: ReadConfirmation): boolean {
  return row.newest === null || row.newest <= entry.sequence;
}

/** Returns whether the transaction of an anchor is in flight: its block was rolled back, or somebody says so. */
export function isInFlight({ state }: AnchorRow): boolean {
  return state !== null && IN_FLIGHT.includes(state);
}

/** Compares the row of an anchor with an entry that confirms it. */
export function confirmationFault(
  key: JournalKey | undefined,
  entry: ConfirmationEntry,
  row: AnchorRow | undefined,
): AnchorFault | undefined {
  if (row === undefined) return "missing";
  const { hash } = row;
  if (hash === null) return "changed";
  const closed = { ...row, hash };
  return isConfirmedBy(closed, entry) && isAnchorOf(key, closed) ? undefined : "changed";
}

/**
 * What the row of an anchor and the chain say of an entry that confirms it:
 * - `agrees`: both have it
 * - `unnamed`: the chain has it, and the row names another entry, or none
 * - `absent`: the chain does not have it
 * - `undefined`: nothing. Another entry supersedes it, its block was rolled back and its transaction is sent again, or
 *   the walk reports the row
 */
export function standingOf(
  key: JournalKey | undefined,
  entry: ConfirmationEntry,
  row: AnchorRow | undefined,
  fault: ChainFault | undefined,
): "agrees" | "unnamed" | "absent" | undefined {
  if (row === undefined || !isNewest({ entry, row }) || confirmationFault(key, entry, row) !== undefined)
    return undefined;
  const isNamed = row.confirmation === entry.sequence;
  if (fault === undefined) return isNamed ? "agrees" : "unnamed";
  return isNamed || !isInFlight(row) ? "absent" : undefined;
}

/** Compares the row of an anchor with its proofs, which no entry confirms. */
export function openFault(
  key: JournalKey | undefined,
  anchor: OpenAnchor,
  row: AnchorRow | undefined,
): AnchorFault | undefined {
  if (row === undefined || row.checkpoint !== null) return "missing";
  const { hash, confirmation, newest } = row;
  if (row.first_sequence > anchor.first) return "not_found";
  // It was confirmed since.
  if (newest !== null && newest > anchor.first) return undefined;
  if (confirmation !== null) return "unconfirmed";
  if (hash === null) return row.transaction_id === null ? undefined : "changed";
  if (!isAnchorOf(key, { ...row, hash })) return "changed";
  return isToBeSent(row) ? undefined : "unsent";
}

/** Whether the sender sends the transaction of an anchor, or gives the anchor another one. */
function isToBeSent({ state, nonce, is_signed }: AnchorRow): boolean {
  if (state === "sent") return nonce !== null && Boolean(is_signed);
  return state === "queued" || (state !== null && FAILED.includes(state));
}

/** Returns the finding about an anchor. */
export function anchorFinding(anchor: number, sequence: number, fault: AnchorFault): Finding {
  return { kind: "anchor_wrong", sequence, anchor, fault };
}
