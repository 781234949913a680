// Checks a journal without the chain, in a separate process: its rows, digests and codes only, then all of it.
// Argument: the database file. Writes the durations as a line of JSON.
import { checkJournal } from "../../scripts/journal/journal-check.ts";
import { RowChain } from "../../server/journal/check/row-chain.ts";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { readHead, storedRows } from "../../server/journal/entries/journal-rows.ts";
import { GENESIS } from "../../server/journal/integrity/entry-chain.ts";
import { KEY } from "../load/journal-key.ts";

const [file = ""] = process.argv.slice(2);
const database = await openSqlite(file);

async function timed(work: () => Promise<number>) {
  const start = performance.now();
  const before = process.cpuUsage();
  const findings = await work();
  const { user, system } = process.cpuUsage(before);
  return { findings, seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
}

const { sequence: entries } = await readHead(database);
const rows = await timed(async () => {
  let findings = 0;
  const chain = new RowChain(GENESIS, KEY, () => (findings += 1));
  for await (const row of storedRows(database, 0, entries)) chain.next(row);
  return findings;
});
const all = await timed(async () => (await checkJournal({ database, key: KEY, onFinding: () => undefined })).findings);
console.log(JSON.stringify({ entries, rows, all }));
await database.destroy();
