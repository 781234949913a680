import { JournalKey } from "../../server/journal/integrity/journal-key.ts";

const TEXT = "be".repeat(32);

/** The key of all journals of a run. */
export const KEY = keyOf(TEXT);

function keyOf(text: string): JournalKey {
  const key = JournalKey.parse(text);
  if (key === undefined) throw new RangeError("it is not a key");
  return key;
}
