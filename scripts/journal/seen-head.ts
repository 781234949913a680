import type { Database } from "../../server/journal/engine/database.ts";
import { hasRowTo } from "../../server/journal/entries/continued.ts";
import { HeadFile } from "../../server/journal/integrity/head-file.ts";

/** What a command says when it leaves a journal that the server does not continue by itself. */
export const OTHER_JOURNAL =
  "The server of this DATA_DIR had seen another or a longer journal. It answers, writes and signs nothing until you " +
  "accept this one: start it, and run `npx sealbook journal resolve`.";

/** Returns whether a journal continues what the server of a data folder has seen, if anything. */
export async function continuesSeen(dataDirectory: string, database: Database): Promise<boolean> {
  const seen = await new HeadFile(dataDirectory).read();
  return seen === undefined || hasRowTo(database, seen);
}
