import type { JournalEntry } from "../journal/entries/codec.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { proofPages, type StoredProof, withAnchors } from "../proofs/index.ts";

/** Proofs whose anchors are read at a time. */
export const AT_ONCE = 250;
/** Entries that a search looks through at a time: most are of no interest. */
const SEARCHED_AT_ONCE = 5_000;
/** Clocks can be set back, and those of two relayers differ: entries are in the order of their times up to this. */
const CLOCK_SLACK_MILLISECONDS = 60_000;

/** Which documents are wanted; without a field, all. */
export interface InventorySearch {
  /** Text in the id of the document, of any case. */
  readonly text?: string | undefined;
  /** SHA-256 of its content. */
  readonly hash?: Uint8Array | undefined;
  /** Unix seconds between which its proof was accepted, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Some proofs, newest first. */
export interface Candidates {
  readonly proofs: readonly StoredProof[];
  /** The entry before which the others are; `undefined` when there is none. */
  readonly next: number | undefined;
}

/** Returns a function that reads wanted proofs: the newest ones before an entry. */
export function candidates(search: InventorySearch, checked: VerifiedEntries): (before: number) => Promise<Candidates> {
  const isWanted = filterOf(search);
  const { hash } = search;
  return hash === undefined
    ? (before) => walked(before, search, isWanted, checked)
    : async (before) => {
        const pages = proofPages(checked, { hash }, { order: "newest first", from: before, limit: AT_ONCE });
        for await (const proofs of pages) {
          const oldest = proofs.at(-1);
          if (oldest === undefined) continue;
          const wanted = proofs.filter(({ documentId, acceptedAt }) => isWanted?.(documentId, acceptedAt) ?? true);
          return { proofs: wanted, next: oldest.sequence };
        }
        return { proofs: [], next: undefined };
      };
}

/** Reads the entries before one. */
async function walked(
  before: number,
  { from }: InventorySearch,
  isWanted: Filter | undefined,
  checked: VerifiedEntries,
): Promise<Candidates> {
  const entries = await checked.entriesBefore(before, isWanted === undefined ? AT_ONCE : SEARCHED_AT_ONCE);
  // Other requests are served between the entries and their anchors.
  await yieldToEventLoop();
  const proofs = entries
    .filter((entry) => entry.kind === "proof")
    .filter((entry) => isWanted?.(entry.document_id, entry.accepted_at) ?? true);
  const some = proofs.slice(-AT_ONCE);
  const [first] = entries;
  const isEnd = first === undefined || first.sequence === 1 || isBefore(first, from);
  const next = some.length < proofs.length ? some[0]?.sequence : isEnd ? undefined : first.sequence;
  return { proofs: (await withAnchors(checked, some)).reverse(), next };
}

/**
 * Returns an entry before which all proofs are that were accepted up to a time, and few others.
 * @param end The newest entry, and one more
 */
export async function startOf(to: number, end: number, checked: VerifiedEntries): Promise<number> {
  const time = (to + 1) * 1000 + CLOCK_SLACK_MILLISECONDS;
  let [low, high] = [1, end];
  while (high - low > SEARCHED_AT_ONCE) {
    const middle = Math.ceil((low + high) / 2);
    const [entry] = await checked.entriesBefore(middle + 1, 1);
    if (entry === undefined || timeOf(entry) < time) low = middle;
    else high = middle;
  }
  return high;
}

type Filter = (documentId: string, acceptedAt: number) => boolean;

/** Returns `undefined` when everything is wanted. */
function filterOf({ text, hash, from, to }: InventorySearch): Filter | undefined {
  if ([text, hash, from, to].every((each) => each === undefined)) return undefined;
  const wanted = text?.toLowerCase() ?? "";
  const [first, last] = [(from ?? 0) * 1000, to === undefined ? Infinity : (to + 1) * 1000 - 1];
  return (documentId, acceptedAt) =>
    acceptedAt >= first && acceptedAt <= last && documentId.toLowerCase().includes(wanted);
}

function isBefore(entry: JournalEntry, from: number | undefined): boolean {
  return from !== undefined && timeOf(entry) < from * 1000 - CLOCK_SLACK_MILLISECONDS;
}

/** Returns when an entry was appended, in Unix milliseconds; that of a confirmation can be later. */
function timeOf(entry: JournalEntry): number {
  switch (entry.kind) {
    case "proof":
    case "store":
      return entry.accepted_at;
    case "confirmation":
      return entry.block_time * 1000;
    case "account":
    case "issuer_key":
      return entry.created_at;
    case "verification":
      return entry.finished_at;
    case "resolution":
      return entry.resolved_at;
  }
}
