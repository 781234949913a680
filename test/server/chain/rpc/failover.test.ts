import { assert } from "chai";
import { type FailOver, FailoverRpc } from "../../../../server/chain/rpc/failover.ts";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { type Rpc, unavailable } from "../../../../server/chain/rpc/rpc.ts";
import { refused, unavailable as failsUnavailable } from "./failures.ts";

const CHAIN_ID = 7;
/** Longer than the tests: they check when they want to. */
const NEVER = 2 ** 30;

/** A node that a test plays. */
class PlayedNode implements Rpc {
  readonly chainId = CHAIN_ID;
  readonly calls: string[] = [];
  claimedChain = CHAIN_ID;
  head = 100;
  isUp = true;
  isClosed = false;

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    if (!this.isUp) throw unavailable(new Error("there is nobody"));
    if (method === "eth_chainId") return `0x${this.claimedChain.toString(16)}`;
    if (method === "eth_blockNumber") return `0x${this.head.toString(16)}`;
    this.calls.push(method);
    if (method === "refused") throw new NodeError("no", -32000, undefined);
    return [method, ...parameters];
  }

  close(): void {
    this.isClosed = true;
  }
}

describe("several nodes as one", () => {
  let nodes: [PlayedNode, PlayedNode, PlayedNode];
  let events: FailOver[];
  let rpc: FailoverRpc;
  beforeEach(() => {
    nodes = [new PlayedNode(), new PlayedNode(), new PlayedNode()];
    events = [];
    const [a, b, c] = nodes;
    rpc = new FailoverRpc(
      [
        { rpc: a, shown: "a" },
        { rpc: b, shown: "b" },
        { rpc: c, shown: "c" },
      ],
      CHAIN_ID,
      (event) => events.push(event),
      NEVER,
    );
  });
  afterEach(() => rpc.close());

  const active = (): string | undefined => rpc.addresses().find((each) => each.active)?.address;

  it("are used in order: the next one after a failure, and from then on", async () => {
    assert.deepEqual(await rpc.call("x", [1]), ["x", 1]);
    nodes[0].isUp = false;
    assert.deepEqual(await rpc.call("y", []), ["y"]);
    nodes[0].isUp = true;
    assert.deepEqual(await rpc.call("z", []), ["z"]);
    assert.deepEqual(
      nodes.map(({ calls }) => calls),
      [["x"], ["y", "z"], []],
    );
    assert.deepEqual(events, [{ from: "a", to: "b", reason: "the chain's node does not respond" }]);
  });

  it("return a node's error without a query to another", async () => {
    assert.equal((await refused(rpc.call("refused", []))).message, "no");
    assert.deepEqual([nodes[1].calls, active()], [[], "a"]);
  });

  it("fail when all of them fail, and respond when any responds", async () => {
    for (const node of nodes) node.isUp = false;
    await failsUnavailable(rpc.call("x", []));
    assert.deepEqual(
      rpc.addresses().map(({ reachable }) => reachable),
      [false, false, false],
    );
    nodes[2].isUp = true;
    assert.deepEqual(await rpc.call("x", []), ["x"]);
    assert.equal(active(), "c");
  });

  it("exclude nodes of another chain", async () => {
    nodes[1].claimedChain = 8;
    nodes[0].isUp = false;
    await rpc.call("x", []);
    assert.deepEqual(
      nodes.map(({ calls }) => calls),
      [[], [], ["x"]],
    );
    assert.equal(rpc.addresses()[1]?.reason, "it is a node of chain 8, not 7");
  });

  it("are left after a lag of some time, and used again after it", async () => {
    nodes[0].head = 90;
    await rpc.check();
    assert.equal(active(), "a");
    await rpc.check();
    assert.deepEqual([active(), rpc.addresses()[0]?.reason], ["b", "it lags 10 blocks"]);
    nodes[0].head = 99;
    await rpc.check();
    assert.deepEqual([active(), rpc.addresses()[0]?.reachable], ["b", true], "who is in use stays");
    // A lagging node is better than none.
    [nodes[0].head, nodes[1].isUp, nodes[2].isUp] = [50, false, false];
    await rpc.check();
    await rpc.check();
    assert.deepEqual(await rpc.call("x", []), ["x"]);
    assert.equal(active(), "a");
  });

  it("close together", async () => {
    rpc.close();
    assert.isTrue(nodes.every(({ isClosed }) => isClosed));
    await failsUnavailable(rpc.call("x", []));
  });
});
