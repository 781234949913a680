// Replicates the journal in the file of the first argument to the folder of the second, until it is killed.
import { openDatabase } from "../../server/journal/engine/database.ts";
import { sqliteDialect } from "../../server/journal/engine/sqlite.ts";
import { journalSource } from "../../server/journal/entries/entry-source.ts";
import { FolderStore } from "../../server/journal/replication/folder-store.ts";
import { DEFAULT_RULES, Replicator } from "../../server/journal/replication/replicator.ts";
import { KEY } from "./journal-key.ts";

const [, , file = "", path = "", journal = ""] = process.argv;
const source = journalSource(await openDatabase(sqliteDialect(file)), KEY);
const rules = { ...DEFAULT_RULES, intervalMilliseconds: 1, lagLimitMilliseconds: 60_000, entries: 3 };
const store = new FolderStore({ name: "folder", path, mountPoint: false });
new Replicator(store, { journal, nameCode: KEY.codeOfName(journal) }, source, rules, Date.now, (event) =>
  console.log(event.kind),
).start();
