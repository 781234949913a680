import { effect, type Signal, signal } from "@preact/signals";
import type { z } from "zod";
import { removeTextsOfTab, storedText } from "../stored-text.ts";
import { session } from "./session.ts";

/** The account whose input this tab keeps. */
const owner = storedText("owner", "tab");
const resets: (() => void)[] = [];

/**
 * A value that the tab keeps over a reload and a visit of another page, until a logout or the login of another account:
 * input, searches, positions.
 * @param name Unique name
 * @param schema Parses what is stored
 */
export function kept<T>(name: string, schema: z.ZodType<T>, initial: T): Signal<T> {
  const stored = storedText(name, "tab");
  const value = signal(parse(schema, stored.read()) ?? initial);
  effect(() => (value.value === initial ? stored.remove() : stored.write(JSON.stringify(value.value))));
  resets.push(() => (value.value = initial));
  return value;
}

/** Calls a function when what a tab keeps is forgotten. */
export function onForget(forget: () => void): void {
  resets.push(forget);
}

// An ended session does not clear it: the next login continues.
effect(() => {
  const account = session.current.value?.account;
  const before = owner.read();
  if (session.ending.value === "closed" || (account !== undefined && before !== undefined && account !== before)) {
    for (const reset of resets) reset();
    // Those of tabs whose code is not loaded.
    removeTextsOfTab();
  }
  if (account !== undefined) owner.write(account);
});

function parse<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
