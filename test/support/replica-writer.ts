// Ships an endless journal to the folder of the argument, until it is killed.
import { FolderStore } from "../../server/journal/replication/folder-store.ts";
import { StoredSegments } from "../../server/journal/replication/stored-segments.ts";
import { Replicator, DEFAULT_RULES } from "../../server/journal/replication/replicator.ts";
import { MemoryJournal } from "./journal-source.ts";

const [, , path = "", journalName = ""] = process.argv;
const journal = new MemoryJournal().grow(2_000);
const rules = { ...DEFAULT_RULES, intervalMilliseconds: 1, lagLimitMilliseconds: 60_000, segmentLines: 3 };
const target = new StoredSegments(new FolderStore({ name: "folder", path, mountPoint: false }), journalName);
new Replicator(target, journal, rules, Date.now, (event) => console.log(event.kind)).start();
