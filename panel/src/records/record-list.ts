import { batch, effect, signal } from "@preact/signals";
import type { FoundRecord } from "../../../client/index.ts";
import { records, session } from "../session/session.ts";

const PAGE_SIZE = 20;

/** What is searched for, as it is entered. */
export const searched = { field: signal<"code" | "topic">("code"), value: signal("") };

/** What was found. */
export const list = {
  records: signal<readonly FoundRecord[] | undefined>(undefined),
  /** Where the next page begins, when there is one. */
  next: signal<string | undefined>(undefined),
  isLoading: signal(false),
  failure: signal<unknown>(undefined),
};

let question: { readonly field: "code" | "topic"; readonly value: string } = { field: "code", value: "*" };
/** Answers to earlier questions that come late are not wanted any more. */
let asked = 0;

/** Begins with the newest records that match. */
export async function search(): Promise<void> {
  const value = searched.value.value.trim();
  question = { field: searched.field.value, value: value === "" ? "*" : value };
  await load(undefined);
}

/** Goes on with older ones. */
export async function loadMore(): Promise<void> {
  await load(list.next.value);
}

// Another account may be the next to look.
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
