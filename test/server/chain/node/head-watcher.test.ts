import { assert } from "chai";
import { type Head, type HeadWatcher, watchHead } from "../../../../server/chain/node/head-watcher.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { eventually } from "../../../support/eventually.ts";
import { FakeNode } from "../../../support/fake-node.ts";
import { FakeSocketNode, type SocketCall } from "../../../support/fake-socket-node.ts";
import { type FaultyProxy, startFaultyProxy } from "../../../support/faulty-proxy.ts";

describe("polling head watcher", function () {
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
    const seen: Head[] = [];
    watcher.subscribe((head) => seen.push(head));
    watcher.start();
    const [block] = node.blocks;
    await eventually(async () => assert.deepEqual(seen, [{ number: 0, time: 1_000, hash: block?.hash ?? "" }]));
    const hash = `0x${"ab".repeat(32)}`;
    node.blocks[0] = { ...(block ?? assert.fail()), hash };
    await eventually(async () => assert.deepEqual(seen.slice(1), [{ number: 0, time: 1_000, hash }]));
    assert.deepEqual(watcher.head, seen[1]);
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
    assert.isFalse(watcher.reachable);
    node.mine();
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.mode = "pass";
    await eventually(async () => assert.deepEqual(heads, [0, 1]));
    assert.deepEqual(reachable, [false, true]);
    assert.isTrue(watcher.reachable);
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

describe("subscribing head watcher", function () {
  /** Longer than a test may take. */
  const NEVER = 600_000;
  let node: FakeSocketNode;
  let rpc: Rpc;
  let watcher: HeadWatcher;
  let heads: string[];
  let reachable: boolean[];
  /** What the node has. */
  let newest: Head;
  let subscriptions: Set<string>;
  const block = (number: number, branch = "aa"): Head => ({
    number,
    time: 1_000 + number,
    hash: `0x${branch.repeat(32)}`,
  });
  const header = ({ number, time, hash }: Head) => ({
    number: `0x${number.toString(16)}`,
    timestamp: `0x${time.toString(16)}`,
    hash,
  });
  const nameOf = ({ number, hash }: Head) => `${number}${hash.slice(2, 4)}`;
  const asUsual = (call: SocketCall): void => {
    if (call.method === "eth_getBlockByNumber") return node.respond(call, header(newest));
    if (call.method !== "eth_subscribe") return node.respond(call, true);
    const id = `0x${node.calls.length}`;
    subscriptions.add(id);
    call.socket.on("close", () => subscriptions.delete(id));
    node.respond(call, id);
  };
  const mine = (number: number, branch = "aa"): void => void (newest = block(number, branch));
  const notify = (head = newest): void => {
    for (const socket of node.sockets) for (const id of subscriptions) node.notify(socket, id, header(head));
  };
  const start = (interval: number, watchdog: number): void => {
    watcher = watchHead(rpc, interval, (is) => reachable.push(is), watchdog);
    watcher.subscribe((head) => heads.push(nameOf(head)));
    watcher.start();
  };
  const expectHeads = (...expected: string[]) => eventually(async () => assert.deepEqual(heads, expected));
  const callsOf = (method: string) => node.calls.filter((call) => call.method === method).length;
  const quiet = () => new Promise((resolve) => setTimeout(resolve, 100));
  /** Both initial queries got a response. */
  const subscribed = () => eventually(async () => assert.isAtLeast(callsOf("eth_getBlockByNumber"), 2));

  beforeEach(async () => {
    node = await new FakeSocketNode().start();
    rpc = connectRpc(node.url, 1);
    [heads, reachable, subscriptions] = [[], [], new Set()];
    mine(5);
    node.onCall = asUsual;
  });
  afterEach(async () => {
    watcher.stop();
    rpc.close();
    await node.stop();
  });

  it("fetches the first block, and receives each later one once", async () => {
    start(NEVER, NEVER);
    await expectHeads("5aa");
    await subscribed();
    for (const number of [6, 7, 7, 8]) {
      mine(number);
      notify();
    }
    await expectHeads("5aa", "6aa", "7aa", "8aa");
    assert.deepEqual(watcher.head, block(8));
    assert.isEmpty(reachable);
    assert.isAtMost(callsOf("eth_getBlockByNumber"), 2);
  });

  it("receives another block with the same number, and fetches after a lower number", async () => {
    start(NEVER, NEVER);
    await expectHeads("5aa");
    await subscribed();
    mine(5, "bb");
    notify();
    await expectHeads("5aa", "5bb");
    mine(7, "cc");
    notify(block(4, "cc"));
    await expectHeads("5aa", "5bb", "7cc");
    notify(block(4, "cc"));
    await quiet();
    assert.deepEqual(heads, ["5aa", "5bb", "7cc"]);
  });

  it("fetches after a malformed notification", async () => {
    start(NEVER, NEVER);
    await expectHeads("5aa");
    await subscribed();
    mine(6);
    for (const socket of node.sockets) for (const id of subscriptions) node.notify(socket, id, { number: "six" });
    await expectHeads("5aa", "6aa");
  });

  it("polls at its interval when the node rejects subscriptions", async () => {
    node.onCall = (call) =>
      call.method === "eth_subscribe" ? node.refuse(call, { code: -32601, message: "no such method" }) : asUsual(call);
    start(20, NEVER);
    await expectHeads("5aa");
    mine(6);
    await expectHeads("5aa", "6aa");
    assert.equal(callsOf("eth_subscribe"), 1);
    assert.isEmpty(reachable);
  });

  it("catches up after a lost connection", async () => {
    start(NEVER, NEVER);
    await expectHeads("5aa");
    await subscribed();
    mine(6);
    node.cut();
    await expectHeads("5aa", "6aa");
    await node.stop();
    mine(7);
    await eventually(async () => assert.deepEqual(reachable, [false]));
    await node.start();
    await expectHeads("5aa", "6aa", "7aa");
    assert.deepEqual(reachable, [false, true]);
    await eventually(async () => assert.equal(subscriptions.size, 1));
    mine(8);
    notify();
    await expectHeads("5aa", "6aa", "7aa", "8aa");
  });

  it("detects a silent subscription, and creates another", async () => {
    start(20, 40);
    await expectHeads("5aa");
    mine(6);
    notify();
    await expectHeads("5aa", "6aa");
    const before = callsOf("eth_subscribe");
    subscriptions.clear();
    mine(7);
    await expectHeads("5aa", "6aa", "7aa");
    await eventually(async () => assert.equal(callsOf("eth_subscribe"), before + 1));
    assert.equal(callsOf("eth_unsubscribe"), before);
    mine(8);
    notify();
    await expectHeads("5aa", "6aa", "7aa", "8aa");
  });

  it("keeps an active subscription across its polls", async () => {
    // Each poll returns a block whose notification follows.
    node.onCall = (call) => {
      if (call.method === "eth_getBlockByNumber" && newest.number < 29) mine(newest.number + 1);
      asUsual(call);
      notify();
    };
    start(5, 5);
    await eventually(async () => assert.equal(heads.at(-1), "29aa"));
    assert.equal(callsOf("eth_subscribe"), 1);
    assert.deepEqual(heads, [...new Set(heads)]);
  });

  it("ignores a response that is older than a notification", async () => {
    start(NEVER, NEVER);
    await expectHeads("5aa");
    await subscribed();
    let late: SocketCall | undefined;
    node.onCall = (call) => void (late = call);
    watcher.poke();
    const call = await eventually(async () => late ?? assert.fail());
    mine(6);
    notify();
    await expectHeads("5aa", "6aa");
    node.respond(call, header(block(5)));
    await quiet();
    assert.deepEqual(heads, ["5aa", "6aa"]);
  });

  it("emits nothing after its stop", async () => {
    start(10, 10);
    await expectHeads("5aa");
    watcher.stop();
    await eventually(async () => assert.equal(callsOf("eth_unsubscribe"), callsOf("eth_subscribe")));
    mine(6);
    notify();
    node.cut();
    await quiet();
    assert.deepEqual(heads, ["5aa"]);
  });
});
