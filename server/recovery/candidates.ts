import type { JournalEntry, ProofEntry } from "../journal/entries/codec.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { type StoredProof, withAnchors } from "../proofs/index.ts";
import { newestOfHash } from "./store.ts";

/** Entries that are read at a time, and proofs whose anchors are. */
export const AT_ONCE = 250;
/** Entries that a search looks through in a step: most are of no interest. */
const SEARCHED_AT_ONCE = 5_000;
/** Time after which a step ends: entries with a row of their own take longer. */
const STEP_MILLISECONDS = 15;
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
        const { proofs, next } = await newestOfHash(hash, before, AT_ONCE, checked);
        return { proofs: proofs.filter(({ documentId, acceptedAt }) => isWanted(documentId, acceptedAt)), next };
      };
}

/** Reads the entries before one, some at a time: their texts can be large. */
async function walked(
  before: number,
  search: InventorySearch,
  isWanted: Filter,
  checked: VerifiedEntries,
): Promise<Candidates> {
  const wanted: ProofEntry[] = [];
  let next: number | undefined = before;
  const most = isSearch(search) ? SEARCHED_AT_ONCE : AT_ONCE;
  const begun = performance.now();
  for (let read = 0; read < most && wanted.length < AT_ONCE && next !== undefined; read += AT_ONCE) {
    if (read > 0 && performance.now() - begun > STEP_MILLISECONDS) break;
    const entries: readonly JournalEntry[] = await checked.entriesBefore(next, AT_ONCE);
    // Other requests are served between the entries, and before their anchors are read.
    await yieldToEventLoop();
    for (const entry of entries.toReversed())
      if (entry.kind === "proof" && isWanted(entry.document_id, entry.accepted_at)) wanted.push(entry);
    const [first] = entries;
    next = first === undefined || first.sequence === 1 || isBefore(entries, search) ? undefined : first.sequence;
  }
  return { proofs: await withAnchors(checked, wanted), next };
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
    const entries = await checked.entriesBefore(middle + 1, AT_ONCE);
    const accepted = acceptedAt(entries.toReversed());
    // What has no time is looked through like what was accepted in time.
    if (accepted === undefined || accepted < time) low = middle;
    else high = middle;
  }
  return high;
}

type Filter = (documentId: string, acceptedAt: number) => boolean;

function isSearch({ text, hash, from, to }: InventorySearch): boolean {
  return [text, hash, from, to].some((each) => each !== undefined);
}

function filterOf({ text = "", from = 0, to = Infinity }: InventorySearch): Filter {
  const wanted = text.toLowerCase();
  const [first, end] = [from * 1000, (to + 1) * 1000];
  return (documentId, time) => time >= first && time < end && documentId.toLowerCase().includes(wanted);
}

/** Whether all entries before some, oldest first, are older than what is wanted. */
function isBefore(entries: readonly JournalEntry[], { from }: InventorySearch): boolean {
  const accepted = from === undefined ? undefined : acceptedAt(entries);
  return accepted !== undefined && from !== undefined && accepted < from * 1000 - CLOCK_SLACK_MILLISECONDS;
}

/** Returns when the first of some entries that has such a time was accepted; a confirmation has that of its block. */
function acceptedAt(entries: readonly JournalEntry[]): number | undefined {
  for (const entry of entries) if (entry.kind === "proof" || entry.kind === "store") return entry.accepted_at;
  return undefined;
}
