import { assert } from "chai";
import { type Head, type HeadWatcher, watchHead } from "../../../../server/chain/node/head-watcher.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { eventually } from "../../../support/eventually.ts";
import { FakeNode } from "../../../support/fake-node.ts";
import { type FaultyProxy, startFaultyProxy } from "../../../support/faulty-proxy.ts";

describe("polling head watcher", function () {
  let node: FakeNode;
  let proxy: FaultyProxy;
  let rpc: Rpc;
  let watcher: HeadWatcher;
  let heads: number[];
  let reachable: boolean[];
  const watch = (interval: number) => {
    watcher = watchHead(rpc, interval, (failure) => reachable.push(failure === undefined));
    watcher.subscribe((head) => heads.push(head.number));
  };
  beforeEach(async () => {
    node = await new FakeNode().start();
    proxy = await startFaultyProxy(node.url);
    rpc = connectRpc(proxy.url, FakeNode.CHAIN_ID);
    heads = [];
    reachable = [];
  });
  afterEach(async () => {
    watcher.stop();
    rpc.close();
    await proxy.close();
    await node.stop();
  });

  it("emits each new head once, at its interval or on request", async () => {
    watch(20);
    watcher.start();
    await eventually(async () => assert.deepEqual(heads, [0]));
    node.mine();
    await eventually(async () => assert.deepEqual(heads, [0, 1]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(heads, [0, 1]);
    assert.equal(watcher.head?.number, 1);
    assert.isEmpty(reachable);
  });

  it("emits number, time and hash, and another block with the same number", async () => {
    watch(20);
    const seen: Omit<Head, "parentHash">[] = [];
    watcher.subscribe(({ parentHash: _, ...head }) => seen.push(head));
    watcher.start();
    const [block] = node.blocks;
    await eventually(async () => assert.deepEqual(seen, [{ number: 0, time: 1_000, hash: block?.hash ?? "" }]));
    const hash = `0x${"ab".repeat(32)}`;
    node.blocks[0] = { ...(block ?? assert.fail()), hash };
    await eventually(async () => assert.deepEqual(seen.slice(1), [{ number: 0, time: 1_000, hash }]));
    assert.deepInclude(watcher.head, seen[1]);
  });

  it("identifies the chain again when a block does not follow the one before, and emits none of another", async () => {
    const hashOf = (text: string): string => `0x${text.repeat(32)}`;
    const block = (number: number, hash: string, parentHash: string) => ({
      ...{ number: `0x${number.toString(16)}`, timestamp: "0x1" },
      ...{ hash: hashOf(hash), parentHash: hashOf(parentHash) },
    });
    let newest = block(7, "a7", "a6");
    let identified = 0;
    let isOther = false;
    const own = {
      call: async () => newest,
      identify: async () => {
        if (isOther) throw new Error("another chain");
        identified += 1;
      },
    };
    watcher = watchHead(own, 5, (failure) => reachable.push(failure === undefined));
    watcher.subscribe((head) => heads.push(head.number));
    watcher.start();
    await eventually(async () => assert.deepEqual([heads, identified], [[7], 1]));
    newest = block(8, "a8", "a7");
    await eventually(async () => assert.deepEqual([heads, identified], [[7, 8], 1]));
    newest = block(10, "aa", "a9");
    await eventually(async () => assert.deepEqual([heads, identified], [[7, 8, 10], 2]));
    isOther = true;
    newest = block(11, "bb", "ba");
    await eventually(async () => assert.deepEqual(reachable, [false]));
    assert.deepEqual(heads, [7, 8, 10]);
  });

  it("calls a node silent that refuses connections, or takes seconds to respond", async () => {
    watch(20);
    watcher.start();
    await eventually(async () => assert.deepEqual(heads, [0]));
    assert.isFalse(watcher.isSilent);
    proxy.mode = "off";
    await eventually(async () => assert.isTrue(watcher.isSilent));
    proxy.mode = "pass";
    await eventually(async () => assert.isFalse(watcher.isSilent));
    watcher.stop();
    const response = Promise.withResolvers<object>();
    const slow = { call: () => response.promise };
    watcher = watchHead(slow, 20, (failure) => reachable.push(failure === undefined));
    watcher.start();
    assert.isFalse(watcher.isSilent);
    await eventually(async () => assert.isTrue(watcher.isSilent));
    response.resolve({
      number: "0x1",
      timestamp: "0x1",
      hash: `0x${"ab".repeat(32)}`,
      parentHash: `0x${"aa".repeat(32)}`,
    });
    await eventually(async () => assert.isFalse(watcher.isSilent));
  });

  it("treats a node without a newest block as unavailable", async () => {
    const [block = assert.fail()] = node.blocks.splice(0);
    watch(20);
    watcher.start();
    await eventually(async () => assert.deepEqual(reachable, [false]));
    node.blocks.push(block);
    await eventually(async () => assert.deepEqual(reachable, [false, true]));
    assert.deepEqual(heads, [0]);
  });

  it("polls immediately on request, also repeatedly", async () => {
    watch(60_000);
    watcher.start();
    await eventually(async () => assert.deepEqual(heads, [0]));
    node.mine();
    for (let n = 0; n < 10; n += 1) watcher.poke();
    await eventually(async () => assert.deepEqual(heads, [0, 1]));
    node.mine();
    watcher.poke();
    await eventually(async () => assert.deepEqual(heads, [0, 1, 2]));
  });

  it("emits once that the node is unavailable and once that it is available again", async () => {
    watch(20);
    watcher.start();
    await eventually(async () => assert.isNotEmpty(heads));
    proxy.mode = "off";
    await eventually(async () => assert.deepEqual(reachable, [false]));
    assert.isDefined(watcher.failure);
    node.mine();
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.mode = "pass";
    await eventually(async () => assert.deepEqual(heads, [0, 1]));
    assert.deepEqual(reachable, [false, true]);
    assert.isUndefined(watcher.failure);
  });

  it("emits nothing after its stop", async () => {
    watch(10);
    watcher.start();
    await eventually(async () => assert.isNotEmpty(heads));
    watcher.stop();
    node.mine();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(heads, [0]);
  });
});
