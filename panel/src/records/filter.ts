import type { FoundRecord, RecordSearch } from "../../../client/index.ts";

/** Which records are shown; an empty text for no condition. */
export interface Filter {
  /** `*` matches any run of characters. */
  readonly code: string;
  readonly topic: string;
  /** A part of the sender's address. */
  readonly sender: string;
  /** ISO dates, in UTC. */
  readonly from: string;
  readonly to: string;
}

export const FIELDS = ["code", "topic", "sender", "from", "to"] as const satisfies readonly (keyof Filter)[];

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Days that a sender's clock can be wrong. */
const CLOCK_DAYS = 1;
const DAY_SECONDS = 86_400;

/** Reads a filter from the query of an address. */
export function filterOf(query: string): Filter {
  const given = new URLSearchParams(query);
  const text = (name: keyof Filter) => (given.get(name) ?? "").trim();
  return { code: text("code"), topic: text("topic"), sender: text("sender"), from: text("from"), to: text("to") };
}

/** What is wrong with the dates of an address, which the form cannot show. */
export function faultOf({ from, to }: Filter): "date" | "order" | undefined {
  const [first, last] = [from, to].map((date) => (DATE.test(date) ? timeOf(date) : undefined));
  if ((from !== "" && first === undefined) || (to !== "" && last === undefined)) return "date";
  return first !== undefined && last !== undefined && last < first ? "order" : undefined;
}

/** Writes a filter as the query of an address; empty without a condition. */
export function queryOf(filter: Partial<Filter>): string {
  const query = new URLSearchParams();
  for (const name of FIELDS) {
    const text = filter[name]?.trim() ?? "";
    if (text !== "") query.set(name, text);
  }
  return query.size === 0 ? "" : `?${query.toString()}`;
}

/** Returns what the server searches: it compares one field. */
export function searchOf({ code, topic }: Filter): Pick<RecordSearch, "field" | "value"> {
  return code === "" && topic !== "" ? { field: "topic", value: topic } : { field: "code", value: code || "*" };
}

/** Whether there are conditions that the server does not compare. */
export function isFilteredHere({ code, topic, sender, from, to }: Filter): boolean {
  return (code !== "" && topic !== "") || [sender, from, to].some((text) => text !== "");
}

/** Returns whether a record that the server has found fulfils the other conditions. */
export function matcherOf({ code, topic, sender, from, to }: Filter): (record: FoundRecord) => boolean {
  const topicPattern = code !== "" && topic !== "" ? patternOf(topic) : undefined;
  const [first, end] = [timeOf(from) ?? -Infinity, (timeOf(to) ?? Infinity) + DAY_SECONDS];
  return (record) => {
    const at = Date.parse(record.createdAt) / 1000;
    return (
      (topicPattern === undefined || matches(record.topic, topicPattern)) &&
      record.sender.toLowerCase().includes(sender.toLowerCase()) &&
      // A record of a foreign system can have a time that is none.
      ((from === "" && to === "") || (at >= first && at < end))
    );
  };
}

/** Whether records are so old that those before them are hardly wanted. */
export function isBefore(records: readonly FoundRecord[], { from }: Filter): boolean {
  const first = timeOf(from);
  if (first === undefined || records.length === 0) return false;
  return records.every(({ createdAt }) => Date.parse(createdAt) / 1000 < first - CLOCK_DAYS * DAY_SECONDS);
}

/** The texts between the stars of a pattern, as the server reads it: `\*` is a star. */
function patternOf(text: string): readonly string[] {
  return text.split(/(?<!\\)\*/).map((part) => part.replaceAll("\\*", "*"));
}

/** Looks for the parts one after another: the work does not grow with the number of stars. */
function matches(text: string, [first = "", ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function timeOf(date: string): number | undefined {
  const time = new Date(date);
  // Browsers read 30 February as a day in March.
  return Number.isNaN(time.getTime()) || !time.toISOString().startsWith(date) ? undefined : time.getTime() / 1000;
}
