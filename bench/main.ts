// Latency and throughput of both APIs against a server of this process: see README.md in this folder.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { parseConfig } from "../server/config.ts";
import { createContext } from "../server/context.ts";
import { createLogger } from "../server/telemetry/logger.ts";
import { type Figures, measure } from "./latency.ts";

const Answer = z.object({ content: z.object({ tparams: z.object({ tx: z.string() }) }) });
const Demo = z.object({ login: z.string(), password: z.string() });

const folder = await mkdtemp(join(tmpdir(), "sealbook-bench-"));
const config = parseConfig({
  DATA_DIR: folder,
  PORT: "0",
  CHAIN_PORT: "0",
  LOG_LEVEL: "silent",
  STORE_RATE: "1000000",
  SESSION_LIFETIME: "3600",
});
const context = await createContext(config, createLogger(config.logLevel, false));
const { url } = await context.start();

async function post(path: string, body: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

function report(name: string, figures: Figures): void {
  console.log(JSON.stringify({ name, ...figures }));
}

const call = (route: string, credentials: object, payload?: object): Promise<unknown> =>
  post("/api", { method: "GET", route, credentials, payload });
const tokenOf = (answer: unknown): string => Answer.parse(answer).content.tparams.tx;

const demo = Demo.parse(JSON.parse(await readFile(context.demoAccountFile, "utf8")));
report("login", await measure(10, 1, async () => void (await call("/api/admin/auth", demo))));

let token = tokenOf(await call("/api/admin/auth", demo));
report(
  "validate",
  await measure(200, 1, async () => {
    token = tokenOf(await call("/api/admin/session/validate", { token }));
  }),
);

let reading = 0;
const store = (): Promise<unknown> =>
  call(
    "/api/datastore/event/store",
    { token },
    { code: `station-${(reading += 1)}`, topic: "PM2.5", payload: { sensorvalue: reading / 10, sensordevice: "SDS011" } },
  );
report("store, one client", await measure(200, 1, async () => void (await store())));
report("store, 64 clients", await measure(4_000, 64, async () => void (await store())));
const search = (value: string) => async (): Promise<void> => {
  await call("/api/datastore/event/search", { token }, { search: { target: "1", value, limit: 10 } });
};
report("search by a code", await measure(2_000, 16, search("station-17")));
report("search by a prefix", await measure(2_000, 16, search("station-1*")));

const hash = (index: number): string => createHash("sha256").update(`document ${index}`).digest("hex");
const prove = (first: number) => async (index: number): Promise<void> => {
  await post("/api/v1/proof", { document_id: `doc-${first + index}`, hash: hash(first + index), metadata: { timestamp: 1 } });
};
report("proof, one client", await measure(200, 1, prove(0)));
report("proof, 64 clients", await measure(4_000, 64, prove(200)));
report(
  "verify, 16 clients",
  await measure(2_000, 16, async (index) => {
    const response = await fetch(`${url}/api/v1/verify?hash=${hash(index)}`);
    await response.arrayBuffer();
  }),
);

await context.stop();
await rm(folder, { recursive: true });
