import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, expect } from "chai";
import { SealbookError } from "../../../../server/errors.ts";
import { anvilPid } from "../../../support/anvil-process.ts";
import { eventually } from "../../../support/eventually.ts";
import { Account, block, height, mined, picture, rpc, Scene, send } from "./support.ts";

const CHILD = fileURLToPath(new URL("./chain-child.ts", import.meta.url));

async function refusal(start: Promise<unknown>): Promise<SealbookError> {
  const error: unknown = await start.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SealbookError) return error;
  throw error instanceof Error ? error : new Error("The start was expected to be refused.");
}

describe("embedded chain", () => {
  let scene: Scene;
  beforeEach(() => {
    scene = new Scene();
  });
  afterEach(() => scene.end());

  it("restores everything after a clean stop and notifies its listeners of each block", async () => {
    const directory = await scene.directory();
    const account = new Account();
    const first = await scene.start(directory);
    const received: number[] = [];
    const unsubscribe = first.onBlock((number) => void received.push(number));
    await mined(first.url, await send(first.url, await account.deploy()));
    for (let value = 1; value <= 10; value += 1)
      await mined(first.url, await send(first.url, await account.record(value)));
    const blocks = await height(first.url);
    unsubscribe();
    await mined(first.url, await send(first.url, await account.record(11)));
    expect(received).to.deep.equal(Array.from({ length: blocks }, (_, index) => index + 1));
    const before = await picture(first.url, blocks + 1, account.recorder);
    await Promise.all([first.stop(), first.stop()]);
    expect(await readdir(directory)).to.have.members(["blocks.sqlite", "lock.pid", "lock.sqlite"]);
    const second = await scene.start(directory);
    expect(await height(second.url)).to.equal(blocks + 1);
    expect(await picture(second.url, blocks + 1, account.recorder)).to.equal(before);
  });

  it("mines waiting transactions before it stops", async () => {
    const directory = await scene.directory();
    const account = new Account();
    const first = await scene.start(directory);
    const hashes = await Promise.all(Array.from({ length: 50 }, async () => send(first.url, await account.sign())));
    await first.stop();
    const second = await scene.start(directory);
    for (const hash of hashes) expect(await rpc(second.url, "eth_getTransactionReceipt", hash)).to.be.an("object");
  });

  it("creates a block per period, with and without transactions", async () => {
    const chain = await scene.start(await scene.directory(), { blockPeriodSeconds: 1 });
    const account = new Account();
    const hashes = [await send(chain.url, await account.sign()), await send(chain.url, await account.sign())];
    expect(await height(chain.url)).to.equal(0);
    const three = new Promise<void>((resolve) => void chain.onBlock((number) => number === 3 && resolve()));
    await three;
    const blocks = [await block(chain.url, 1), await block(chain.url, 2), await block(chain.url, 3)];
    expect(blocks.map(({ transactions }) => transactions)).to.deep.equal([hashes, [], []]);
  });

  it("rejects a folder in use, naming the process, and accepts it after that was killed", async () => {
    const directory = await scene.directory();
    const child = spawn(process.execPath, [CHILD, directory, "", "idle"], { stdio: ["ignore", "pipe", "inherit"] });
    await once(createInterface({ input: child.stdout }), "line");
    const error = await refusal(scene.start(directory));
    expect(error.code).to.equal("chain_in_use");
    expect(error.message).to.contain(directory).and.to.contain(`process ${child.pid}`);
    child.kill("SIGKILL");
    await once(child, "exit");
    await scene.start(directory);
    expect((await refusal(scene.start(directory))).code).to.equal("chain_in_use");
  });

  it("rejects a port in use, naming the setting, and releases the folder", async () => {
    const directory = await scene.directory();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const error = await refusal(scene.start(directory, { port }));
    other.close();
    expect(error.code).to.equal("port_in_use");
    expect(error.message).to.contain("CHAIN_PORT").and.to.contain(String(port));
    await scene.start(directory);
  });

  it("rejects another chain id than that of the folder", async () => {
    const directory = await scene.directory();
    await (await scene.start(directory)).stop();
    expect((await refusal(scene.start(directory, { chainId: 1 }))).code).to.equal("chain_id_differs");
  });

  it("works in a folder with a path longer than a socket path", async () => {
    const directory = join(await scene.directory(), "a".repeat(100), "b".repeat(100));
    const chain = await scene.start(directory);
    expect(await height(chain.url)).to.equal(0);
  });

  it("restarts a dead Anvil with all blocks and waiting transactions", async () => {
    const directory = await scene.directory();
    const account = new Account();
    const chain = await scene.start(directory, { blockPeriodSeconds: 1 });
    await mined(chain.url, await send(chain.url, await account.deploy()));
    await mined(chain.url, await send(chain.url, await account.record(7)));
    const blocks = await height(chain.url);
    const before = await picture(chain.url, blocks, account.recorder);
    const waiting = await send(chain.url, await account.record(8));
    await killAnvil(directory);
    expect(await picture(chain.url, blocks, account.recorder)).to.equal(before);
    await mined(chain.url, waiting);
    expect(scene.events.map(({ kind }) => kind)).to.include.members(["interrupted", "resumed"]);
  });

  it("responds under load while Anvil dies repeatedly", async () => {
    const directory = await scene.directory();
    const chain = await scene.start(directory);
    const accounts = [new Account(), new Account()];
    let over = false;
    const sending = Promise.all(
      accounts.map(async (account) => {
        while (!over) {
          const raw = await account.sign();
          // What waited while Anvil died is lost in the worst case: it is sent again, as every client must.
          for (let done = false; !done;) {
            const hash = await send(chain.url, raw).catch(() => null);
            const until = Date.now() + 300;
            while (!done && Date.now() < until) {
              done = hash !== null && (await rpc(chain.url, "eth_getTransactionReceipt", hash)) !== null;
              if (hash === null) break;
            }
            // Its response was lost with Anvil, but not the transaction.
            done ||=
              Number(await rpc(chain.url, "eth_getTransactionCount", account.wallet.address, "latest")) >=
              account.nonce;
          }
        }
      }),
    );
    for (let round = 0; round < 4; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await killAnvil(directory);
    }
    over = true;
    await sending;
    const blocks = await height(chain.url);
    const before = await picture(chain.url, blocks, accounts[0]?.recorder ?? "");
    await chain.stop();
    const again = await scene.start(directory);
    expect(await picture(again.url, blocks, accounts[0]?.recorder ?? "")).to.equal(before);
  });
});

/** Under load the one that takes the place of the last killed is there late. */
async function killAnvil(directory: string): Promise<void> {
  await eventually(async () => process.kill(anvilPid(directory) ?? assert.fail("not there yet"), "SIGKILL"));
}
