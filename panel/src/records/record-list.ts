import { batch, effect, signal } from "@preact/signals";
import * as z from "zod";
import type { FoundRecord } from "../../../client/index.ts";
import { kept } from "../session/kept.ts";
import { records, session } from "../session/session.ts";

const PAGE_SIZE = 20;
/** Maximum page of the server. */
const LARGEST_PAGE = 100;
/** Maximum records that are loaded again after a reload. */
const MAX_RESTORED = 500;

const Field = z.enum(["code", "topic"]);
type Field = z.output<typeof Field>;
const Query = z.object({ field: Field, value: z.string() });
type Query = z.output<typeof Query>;

/** The search input. */
export const searchInput = {
  field: kept<Field>("records.field", Field, "code"),
  value: kept("records.value", z.string(), ""),
};

/** The last search. */
export const query = kept<Query>("records.query", Query, { field: "code", value: "*" });

/** Number of the records that are shown. */
const shownCount = kept("records.count", z.number(), 0);

/** The search result. */
export const list = {
  records: signal<readonly FoundRecord[] | undefined>(undefined),
  /** Cursor of the next page, if there is one. */
  next: signal<string | undefined>(undefined),
  isLoading: signal(false),
  failure: signal<unknown>(undefined),
};

/** Number of the last query; late responses to earlier queries are dropped. */
let lastQueryNumber = 0;

/** Searches the newest matching records. */
export async function search(): Promise<void> {
  const value = searchInput.value.value.trim();
  query.value = { field: searchInput.field.value, value: value === "" ? "*" : value };
  await load(undefined);
}

/** Shows as many records as before the page was loaded again. */
export async function restore(): Promise<void> {
  const wanted = Math.min(shownCount.value, MAX_RESTORED);
  let isShown = await load(undefined, wanted);
  while (isShown && list.next.value !== undefined && shownCount.value < wanted)
    isShown = await load(list.next.value, wanted - shownCount.value);
}

/** Loads older records. */
export async function loadMore(): Promise<void> {
  await load(list.next.value);
}

// The next user can have another account.
effect(() => {
  if (session.current.value !== undefined) return;
  lastQueryNumber += 1;
  list.records.value = undefined;
  list.next.value = undefined;
  list.failure.value = undefined;
  list.isLoading.value = false;
});

/**
 * Loads the next records of the search.
 * @param wanted Their number, within the limits of a page
 * @returns Whether they are shown: a newer search drops them
 */
async function load(cursor: string | undefined, wanted = PAGE_SIZE): Promise<boolean> {
  const queryNumber = (lastQueryNumber += 1);
  const limit = Math.min(Math.max(wanted, PAGE_SIZE), LARGEST_PAGE);
  const search = { ...query.value, limit, locations: true };
  batch(() => {
    list.isLoading.value = true;
    list.failure.value = undefined;
  });
  try {
    const page = await session.call((token) => records.page(token, search, cursor));
    if (queryNumber !== lastQueryNumber) return false;
    batch(() => {
      const shown = cursor === undefined ? page.events : [...(list.records.value ?? []), ...page.events];
      list.records.value = shown;
      list.next.value = page.next;
      shownCount.value = shown.length;
    });
    return true;
  } catch (error) {
    if (queryNumber === lastQueryNumber) list.failure.value = error;
    return false;
  } finally {
    if (queryNumber === lastQueryNumber) list.isLoading.value = false;
  }
}
