import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "chai";
import type { EmbeddedChainEvent } from "../../../../server/chain/embedded/embedded-log.ts";
import { openAnvilInstance, type AnvilInstance } from "../../../../server/chain/embedded/anvil-instance.ts";
import { saveSnapshot } from "../../../../server/chain/embedded/snapshots.ts";
import { Account, CHAIN_ID, height, picture, Scene } from "./support.ts";

describe("snapshots of the embedded chain", () => {
  let scene: Scene;
  const events: EmbeddedChainEvent[] = [];
  beforeEach(() => {
    scene = new Scene();
    events.length = 0;
  });
  afterEach(() => scene.end());

  const open = (directory: string): Promise<AnvilInstance> =>
    openAnvilInstance(directory, CHAIN_ID, (event) => void events.push(event));

  /** Makes blocks as the chain does, but fast. */
  async function grow({ node, log }: AnvilInstance, account: Account, blocks: number): Promise<void> {
    for (let count = 0; count < blocks; count += 1) {
      await node.send(account.nonce === 0 ? await account.deploy() : await account.record(account.nonce));
      const timestamp = Math.max(Math.floor(Date.now() / 1000), log.last?.timestamp ?? 0);
      await node.mine(timestamp);
      const { number, hash, transactions } = await node.block((log.last?.number ?? 0) + 1);
      log.append({
        number,
        hash,
        timestamp,
        transactions: await Promise.all(transactions.map((id) => node.rawTransaction(id))),
      });
    }
  }
  async function snapshot(directory: string, { node, log }: AnvilInstance): Promise<void> {
    if (log.last === null) throw new Error("no block");
    await saveSnapshot(directory, log.last.number, log.last.hash, await node.dumpState());
  }
  /** Starts the chain on a copy: on a slow machine its stop would write a snapshot of its own. */
  async function shown(directory: string, account: Account): Promise<string> {
    const copy = await scene.directory();
    await cp(directory, copy, { recursive: true });
    const chain = await scene.start(copy);
    const text = await picture(chain.url, await height(chain.url), account.recorder);
    await chain.stop();
    return text;
  }
  const snapshotFiles = async (directory: string): Promise<string[]> =>
    (await readdir(directory)).filter((name) => name.startsWith("snapshot-"));

  it("avoid the replay of earlier blocks, which are returned as before", async () => {
    const directory = await scene.directory();
    const account = new Account();
    let session = await open(directory);
    await grow(session, account, 20);
    await session.close();
    const without = await open(directory);
    await snapshot(directory, without);
    await without.close();
    session = await open(directory);
    expect(events.at(-1)).to.include({ kind: "ready", replayed: 20 });
    // The first blocks after the snapshot use no earlier hash, which Anvil would lack.
    account.nonce = 20;
    for (let count = 0; count < 3; count += 1) await mineEmpty(session);
    await grow(session, account, 260);
    await session.close();
    const withSnapshot = await shown(directory, account);
    session = await open(directory);
    expect(events.at(-1)).to.include({ kind: "ready", blockNumber: 283, replayed: 263 });
    await grow(session, account, 3);
    await session.close();
    const longer = await shown(directory, account);
    const [file = ""] = await snapshotFiles(directory);
    await writeFile(join(directory, file), "damaged");
    events.length = 0;
    await (await open(directory)).close();
    expect(events.map(({ kind }) => kind)).to.include("snapshot-unusable");
    expect(events.at(-1)).to.include({ kind: "ready", blockNumber: 286, replayed: 286 });
    expect(await snapshotFiles(directory)).to.deep.equal([]);
    expect(await shown(directory, account)).to.equal(longer);
    expect(longer.length).to.be.greaterThan(withSnapshot.length);
  });

  it("are not used when a contract uses the hash of an earlier block", async () => {
    const directory = await scene.directory();
    const account = new Account();
    let session = await open(directory);
    await grow(session, account, 10);
    await snapshot(directory, session);
    await grow(session, account, 257);
    await session.close();
    events.length = 0;
    session = await open(directory);
    expect(events.map(({ kind }) => kind)).to.include("snapshot-unusable");
    expect(events.at(-1)).to.include({ kind: "ready", blockNumber: 267, replayed: 267 });
    await session.close();
  });

  it("do not hide a changed genesis: the start is rejected, naming the block", async () => {
    const directory = await scene.directory();
    const account = new Account();
    const session = await open(directory);
    await grow(session, account, 5);
    await session.close();
    const database = new DatabaseSync(join(directory, "blocks.sqlite"));
    database.exec("UPDATE genesis SET timestamp = 1600000000");
    database.close();
    const error: unknown = await open(directory).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.include({ code: "block_log_differs" });
    expect(String(error)).to.contain("Block 1 has the hash");
  });
});

async function mineEmpty({ node, log }: AnvilInstance): Promise<void> {
  const timestamp = log.last?.timestamp ?? 0;
  await node.mine(timestamp);
  const { number, hash } = await node.block((log.last?.number ?? 0) + 1);
  log.append({ number, hash, timestamp, transactions: [] });
}
