// A hostile client: attacks one route at full speed until SIGTERM, then prints how its requests ended.
import { readFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { RecordClient } from "../../client/index.ts";
import { ATTACKS, Arsenal } from "./attacks.ts";

/** Sessions of the hostile account. */
const SESSIONS = 4;
/** A client on another machine takes no processor from the server: this one takes what the others leave. */
const PRIORITY = 10;

const [name = "", file = ""] = process.argv.slice(2);
const attack = ATTACKS.get(name);
if (attack === undefined) throw new Error(`there is no attack ${name}`);
const arsenal = Arsenal.parse(JSON.parse(await readFile(file, "utf8")));
const client = new RecordClient(arsenal.url);
const tokens: string[] = [];
for (let session = 0; session < SESSIONS; session += 1) {
  tokens.push((await client.auth(arsenal.account.login, arsenal.account.password)).tparams.tx);
}

const outcomes: Record<string, number> = {};
const over = new AbortController();
process.once("SIGTERM", () => over.abort());
setPriority(PRIORITY);
console.log(`attacks ${arsenal.url}`);
await attack({
  ...arsenal,
  tokens,
  signal: over.signal,
  count: (outcome) => (outcomes[outcome] = (outcomes[outcome] ?? 0) + 1),
}).catch((error: unknown) => {
  if (!over.signal.aborted) throw error;
});
console.log(`outcomes ${JSON.stringify(outcomes)}`);
process.exit();
