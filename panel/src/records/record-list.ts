import { batch, effect, signal } from "@preact/signals";
import type { FoundRecord } from "../../../client/index.ts";
import { records, session } from "../session/session.ts";

const PAGE_SIZE = 20;

/** The search input. */
export const searchInput = { field: signal<"code" | "topic">("code"), value: signal("") };

/** The search result. */
export const list = {
  records: signal<readonly FoundRecord[] | undefined>(undefined),
  /** Cursor of the next page, if there is one. */
  next: signal<string | undefined>(undefined),
  isLoading: signal(false),
  failure: signal<unknown>(undefined),
};

let query: { readonly field: "code" | "topic"; readonly value: string } = { field: "code", value: "*" };
/** Number of the last query; late responses to earlier queries are dropped. */
let lastQueryNumber = 0;

/** Searches the newest matching records. */
export async function search(): Promise<void> {
  const value = searchInput.value.value.trim();
  query = { field: searchInput.field.value, value: value === "" ? "*" : value };
  await load(undefined);
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

async function load(cursor: string | undefined): Promise<void> {
  const queryNumber = (lastQueryNumber += 1);
  const search = { ...query, limit: PAGE_SIZE, locations: true };
  batch(() => {
    list.isLoading.value = true;
    list.failure.value = undefined;
  });
  try {
    const page = await session.call((token) => records.page(token, search, cursor));
    if (queryNumber !== lastQueryNumber) return;
    batch(() => {
      list.records.value = cursor === undefined ? page.events : [...(list.records.value ?? []), ...page.events];
      list.next.value = page.next;
    });
  } catch (error) {
    if (queryNumber === lastQueryNumber) list.failure.value = error;
  } finally {
    if (queryNumber === lastQueryNumber) list.isLoading.value = false;
  }
}
