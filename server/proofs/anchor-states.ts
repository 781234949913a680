import type { BlockInclusion } from "../chain/contracts/anchors.ts";
import { isAmong } from "../journal/engine/lists.ts";
import type { ConfirmationEntry, JournalEntry } from "../journal/entries/codec.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { isAnchorOf, isConfirmedBy } from "../journal/integrity/anchor-code.ts";
import type { AnchorOutcome } from "../journal/integrity/stored-anchor.ts";
import type { AnchorContent } from "../chain/contracts/anchors.ts";

/** The state of an anchor: its row with its code, and the entry of its confirmation. */
export interface AnchorState {
  readonly outcome: AnchorOutcome;
  /** `undefined` while the anchor is open. */
  readonly content: AnchorContent | undefined;
  /** What is wrong with it, if anything: then it has no outcome. */
  readonly fault: string | undefined;
}

/** An anchor that was read. */
export interface ReadAnchor extends AnchorState {
  readonly id: number;
  readonly transactionId: number | undefined;
  readonly isCheckpoint: boolean;
}

const CHANGED = "the journal was changed";
const PENDING = { state: "pending" } as const;

/** Reads the states of anchors; of those that have a row. */
export function readAnchors(checked: VerifiedEntries, ids: readonly number[]): Promise<Map<number, ReadAnchor>> {
  if (ids.length === 0) return Promise.resolve(new Map());
  return checked.inSnapshot(async (reads) => {
    const rows = await selectAnchors(reads, ids);
    const confirmations = rows.flatMap(({ confirmation }) => confirmation ?? []);
    const entries = new Map(
      (await reads.entries([...new Set(confirmations)].sort((a, b) => a - b))).map((entry) => [entry.sequence, entry]),
    );
    const waiting = rows.flatMap((row) => (row.confirmation === null ? (row.transaction_id ?? []) : []));
    const failures = await failuresOf(reads, waiting);
    return new Map(
      rows.map((row) => {
        const { id, hash, size, checkpoint, transaction_id: transactionId } = row;
        const entry = row.confirmation === null ? undefined : entries.get(row.confirmation);
        const fault = hash === null ? openFault(row) : closedFault(reads, { ...row, hash }, entry);
        const confirmed =
          entry?.kind === "confirmation" ? { state: "confirmed" as const, ...inclusionOf(entry) } : PENDING;
        const failure = transactionId === null ? undefined : failures.get(transactionId);
        const outcome = confirmed === PENDING && failure !== undefined ? failure : confirmed;
        const anchor: ReadAnchor = {
          id,
          transactionId: transactionId ?? undefined,
          isCheckpoint: checkpoint !== null,
          outcome: fault === undefined ? outcome : PENDING,
          content: hash === null ? undefined : { hash, size },
          fault,
        };
        return [id, anchor];
      }),
    );
  });
}

/** Returns where a confirmation says that its anchor is. */
export function inclusionOf(entry: ConfirmationEntry): BlockInclusion {
  const { contract, tx_hash: transactionHash, block_number: number, block_hash: hash } = entry;
  return { contract, transactionHash, block: { number, hash, time: entry.block_time, validator: entry.validator } };
}

type Row = Awaited<ReturnType<typeof selectAnchors>>[number];

function selectAnchors({ database }: VerifiedEntries, ids: readonly number[]) {
  return database
    .selectFrom("anchors")
    .select(["id", "first_sequence", "hash", "size", "checkpoint", "code", "transaction_id", "confirmation"])
    .where(isAmong(database, "id", ids))
    .execute();
}

function openFault({ id, confirmation }: Row): string | undefined {
  return confirmation === null ? undefined : `${CHANGED}: anchor ${id} is confirmed, though it is open`;
}

function closedFault(
  { key }: VerifiedEntries,
  { confirmation, ...row }: Row & { readonly hash: Uint8Array },
  entry: JournalEntry | undefined,
): string | undefined {
  const { id, first_sequence, hash, size, checkpoint, code } = row;
  if (!isAnchorOf(key, { id, first_sequence, hash, size, checkpoint, code }))
    return `${CHANGED}: anchor ${id} is not as a relayer has written it`;
  if (confirmation === null) return undefined;
  const isOwn = entry?.kind === "confirmation" && isConfirmedBy({ id, hash, size, checkpoint }, entry);
  return isOwn ? undefined : `${CHANGED}: anchor ${id} is not confirmed by entry ${confirmation}`;
}

/** Returns the outcomes of transactions that failed. */
async function failuresOf({ database }: VerifiedEntries, ids: readonly number[]): Promise<Map<number, AnchorOutcome>> {
  if (ids.length === 0) return new Map();
  const rows = await database
    .selectFrom("transactions")
    .select(["id", "state", "reason"])
    .where(isAmong(database, "id", ids))
    .execute();
  return new Map(
    rows.flatMap(({ id, state, reason }) =>
      state === "reverted" || state === "refused" || state === "cancelled"
        ? [[id, { state: "failed" as const, reason: reason ?? state }]]
        : [],
    ),
  );
}
