import { batch, effect, signal } from "@preact/signals";
import type { FoundRecord } from "../../../client/index.ts";
import { records, session } from "../session/session.ts";

const PAGE_SIZE = 20;

/** The search input. */
export const searched = { field: signal<"code" | "topic">("code"), value: signal("") };

/** The search result. */
export const list = {
  records: signal<readonly FoundRecord[] | undefined>(undefined),
  /** Cursor of the next page, if there is one. */
  next: signal<string | undefined>(undefined),
  isLoading: signal(false),
  failure: signal<unknown>(undefined),
};

let question: { readonly field: "code" | "topic"; readonly value: string } = { field: "code", value: "*" };
/** Number of the last query; late responses to earlier queries are dropped. */
let asked = 0;

/** Searches the newest matching records. */
export async function search(): Promise<void> {
  const value = searched.value.value.trim();
  question = { field: searched.field.value, value: value === "" ? "*" : value };
  await load(undefined);
}

/** Loads older records. */
export async function loadMore(): Promise<void> {
  await load(list.next.value);
}

// The next user can have another account.
effect(() => {
  if (session.current.value !== undefined) return;
  asked += 1;
  list.records.value = undefined;
  list.next.value = undefined;
  list.failure.value = undefined;
  list.isLoading.value = false;
});

async function load(cursor: string | undefined): Promise<void> {
  const mine = (asked += 1);
  const wanted = { ...question, limit: PAGE_SIZE, locations: true };
  batch(() => {
    list.isLoading.value = true;
    list.failure.value = undefined;
  });
  try {
    const page = await session.call((token) => records.page(token, wanted, cursor));
    if (mine !== asked) return;
    batch(() => {
      list.records.value = cursor === undefined ? page.events : [...(list.records.value ?? []), ...page.events];
      list.next.value = page.next;
    });
  } catch (error) {
    if (mine === asked) list.failure.value = error;
  } finally {
    if (mine === asked) list.isLoading.value = false;
  }
}
