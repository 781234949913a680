import { batch, effect, signal } from "@preact/signals";
import * as z from "zod";
import type { FoundRecord } from "../../../client/index.ts";
import { kept, onForget } from "../session/kept.ts";
import { records, session } from "../session/session.ts";
import { type Filter, filterOf, isBefore, isFilteredHere, matcherOf, searchOf } from "./filter.ts";

/** Records that are shown at first, and that are added at a time. */
const FIRST = 100;
const MORE = 500;
/** Records of a request. */
const LARGEST_PAGE = 1_000;
/** Maximum records that are loaded again after a reload. */
const MAX_RESTORED = 10_000;

/** The query of the address with the last filter: the section opens with it. */
export const lastQuery = kept("records.query", z.string(), "");

/** Number of the records that are shown. */
const shownCount = kept("records.count", z.number(), 0);

/** The records that are found. */
export const list = {
  records: signal<readonly FoundRecord[] | undefined>(undefined),
  /** Cursor of the next page, if there is one. */
  next: signal<string | undefined>(undefined),
  isLoading: signal(false),
  failure: signal<unknown>(undefined),
};

/** The filter of the records that are shown. */
let filter: Filter = filterOf("");
let isOfQuery: string | undefined;
/** Whether what is shown is of the newest search. */
let hasFirstPage = true;
/** Number of the last query; late responses to earlier queries are dropped. */
let lastQueryNumber = 0;

/** Shows the newest records that fulfil the filter of an address; as many as before the page was loaded again. */
export async function show(query: string): Promise<void> {
  if (query === isOfQuery && (list.records.value !== undefined || list.isLoading.value)) return;
  const isSame = query === lastQuery.value;
  lastQuery.value = query;
  filter = filterOf(query);
  isOfQuery = query;
  await load(undefined, isSame ? Math.min(Math.max(shownCount.value, FIRST), MAX_RESTORED) : FIRST);
}

/** Searches again: something was stored. */
export async function refresh(): Promise<void> {
  await load(undefined, FIRST);
}

/** Loads older records. */
export async function loadMore(): Promise<void> {
  await load(list.next.value, MORE);
}

/** Ends a search in many records; what is found stays. */
export function stop(): void {
  lastQueryNumber += 1;
  list.isLoading.value = false;
  // What is shown is of an earlier search.
  if (!hasFirstPage) forgetRecords();
}

function forgetRecords(): void {
  isOfQuery = undefined;
  hasFirstPage = true;
  batch(() => {
    list.records.value = undefined;
    list.next.value = undefined;
  });
}

// The next user can have another account.
effect(() => void (session.current.value === undefined && forget()));
onForget(forget);

function forget(): void {
  stop();
  forgetRecords();
  list.failure.value = undefined;
}

/**
 * Loads the next records of the search, page by page, until there are as many as are wanted.
 * @param cursor `undefined` begins with the newest one
 */
async function load(cursor: string | undefined, wanted: number): Promise<void> {
  const queryNumber = (lastQueryNumber += 1);
  const matches = matcherOf(filter);
  batch(() => {
    list.isLoading.value = true;
    list.failure.value = undefined;
  });
  let found = cursor === undefined ? undefined : list.records.value;
  hasFirstPage = cursor !== undefined;
  const enough = (found?.length ?? 0) + wanted;
  try {
    for (let next = cursor, isFirst = true; isFirst || next !== undefined; isFirst = false) {
      // Of what the browser filters, few may be wanted.
      const limit = isFilteredHere(filter) ? LARGEST_PAGE : Math.min(wanted, LARGEST_PAGE);
      const search = { ...searchOf(filter), limit, locations: true };
      const from = next;
      const page = await session.call((token) => records.page(token, search, from));
      if (queryNumber !== lastQueryNumber) return;
      const all: readonly FoundRecord[] = [...(found ?? []), ...page.events.filter(matches)];
      found = all;
      hasFirstPage = true;
      next = page.next;
      batch(() => {
        list.records.value = all;
        list.next.value = next;
        shownCount.value = all.length;
      });
      // Senders can write older times: readers can go on.
      if (all.length >= enough || isBefore(page.events, filter)) break;
    }
  } catch (error) {
    if (queryNumber !== lastQueryNumber) return;
    list.failure.value = error;
    // What is shown is of an earlier search.
    if (found === undefined) forgetRecords();
  } finally {
    if (queryNumber === lastQueryNumber) list.isLoading.value = false;
  }
}
