import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { assert, expect } from "chai";
import * as z from "zod";
import { anvilPid } from "../../../support/anvil-process.ts";
import { Account, block, height, picture, Scene } from "./support.ts";

const CHILD = fileURLToPath(new URL("./chain-child.ts", import.meta.url));
const Line = z.union([
  z.object({ number: z.number(), hash: z.string(), timestamp: z.string(), transactions: z.array(z.string()) }),
  z.object({ url: z.string() }),
]);
type Seen = Extract<z.infer<typeof Line>, { number: number }>;

const accounts = [new Account(), new Account(), new Account()];
const keys = accounts.map((account) => account.wallet.privateKey).join(",");

/** Runs the child until it has shown so many blocks (or only for a time) and kills it. */
async function runAndKill(directory: string, until: { blocks: number } | { milliseconds: number }): Promise<Seen[]> {
  const child: ChildProcess = spawn(process.execPath, [CHILD, directory, keys], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const seen: Seen[] = [];
  const exited = once(child, "exit");
  if (child.stdout === null) throw new Error("no output");
  if ("milliseconds" in until) setTimeout(() => child.kill("SIGKILL"), until.milliseconds);
  for await (const text of createInterface({ input: child.stdout })) {
    const line = Line.parse(JSON.parse(text));
    if ("number" in line) seen.push(line);
    if ("blocks" in until && seen.length >= until.blocks) child.kill("SIGKILL");
  }
  await exited;
  return seen;
}

describe("embedded chain after kill -9", () => {
  const scene = new Scene();
  after(() => scene.end());

  it("keeps every observed block: hash, time, transactions, receipts, logs and storage, each round", async () => {
    const directory = await scene.directory();
    const recorder = accounts[0]?.recorder ?? "";
    const seen: Seen[] = [];
    let known = { height: 0, picture: "" };
    const points = [
      { blocks: 1 },
      { milliseconds: 250 },
      { blocks: 7 },
      { milliseconds: 500 },
      { blocks: 40 },
      { milliseconds: 330 },
      { blocks: 23 },
    ];
    for (const point of points) {
      seen.push(...(await runAndKill(directory, point)));
      const chain = await scene.start(directory);
      for (const { number, ...rest } of seen) {
        const { hash, timestamp, transactions } = await block(chain.url, number);
        expect({ hash, timestamp, transactions }, `block ${number}`).to.deep.equal(rest);
      }
      if (known.height > 0) expect(await picture(chain.url, known.height, recorder)).to.equal(known.picture);
      const now = await height(chain.url);
      expect(now).to.be.at.least(seen.at(-1)?.number ?? 0);
      known = { height: now, picture: await picture(chain.url, now, recorder) };
      await chain.stop();
    }
    expect(seen.length).to.be.greaterThan(60);
  });

  it("leaves no Anvil process", async () => {
    const directory = await scene.directory();
    const child = spawn(process.execPath, [CHILD, directory, keys, "idle"], { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface({ input: child.stdout }), "line");
    const anvil = anvilPid(directory) ?? assert.fail("no Anvil");
    expect(isAlive(anvil)).to.equal(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    while (isAlive(anvil)) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

function isAlive(pid: number): boolean {
  try {
    // A process that has ended but that nobody has waited for yet is not running any more.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
