// Checks a journal without the chain, in a separate process. Argument: the database file. Writes the duration as a line
// of JSON.
import { JournalCheck } from "../../scripts/journal/journal-check.ts";
import { KEY } from "../load/journal-key.ts";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";

const [file = ""] = process.argv.slice(2);
const database = await openSqlite(file);
const start = performance.now();
const before = process.cpuUsage();
const { proofs, confirmations, accounts, findings } = await JournalCheck.run({
  database,
  key: KEY,
  onFinding: () => undefined,
});
const { user, system } = process.cpuUsage(before);
const seconds = (performance.now() - start) / 1000;
console.log(
  JSON.stringify({ rows: proofs + confirmations + accounts, seconds, cpuSeconds: (user + system) / 1e6, findings }),
);
await database.destroy();
