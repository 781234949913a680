import { assert } from "chai";
import { type HeadWatcher, watchHead } from "../../../server/chain/head-watcher.ts";
import { connectRpc } from "../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../server/chain/rpc/rpc.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeNode } from "../../support/fake-node.ts";
import { type FaultyProxy, startFaultyProxy } from "../../support/faulty-proxy.ts";

describe("head watcher", function () {
  let node: FakeNode;
  let proxy: FaultyProxy;
  let rpc: Rpc;
  let watcher: HeadWatcher;
  let heads: number[];
  let reachable: boolean[];
  const watch = (interval: number) => {
    watcher = watchHead(rpc, interval, (is) => reachable.push(is));
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

  it("tells of each new head once, at its interval or when it is poked", async () => {
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

  it("looks at once when it is poked, also many times", async () => {
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

  it("says once that the node is away and once that it is back", async () => {
    watch(20);
    watcher.start();
    await eventually(async () => assert.isNotEmpty(heads));
    proxy.mode = "off";
    await eventually(async () => assert.deepEqual(reachable, [false]));
    assert.isFalse(watcher.reachable);
    node.mine();
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.mode = "pass";
    await eventually(async () => assert.deepEqual(heads, [0, 1]));
    assert.deepEqual(reachable, [false, true]);
    assert.isTrue(watcher.reachable);
  });

  it("is silent when it was stopped", async () => {
    watch(10);
    watcher.start();
    await eventually(async () => assert.isNotEmpty(heads));
    watcher.stop();
    node.mine();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.deepEqual(heads, [0]);
  });
});
