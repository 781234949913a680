import { assert } from "chai";
import type { NodeReport } from "../../../server/chain/node/node-inspector.ts";
import { unavailable, WrongChainError } from "../../../server/chain/rpc/rpc.ts";
import { legacyFee } from "../../../server/chain/transactions/fees.ts";
import { NodeMonitor } from "../../../server/operations/node-monitor.ts";
import { eventually } from "../../support/eventually.ts";

const IN_SYNC: NodeReport = {
  client: "simulated",
  chainId: 1,
  blockNumber: 1,
  blockTime: Math.floor(Date.now() / 1000),
  syncing: false,
  peers: 3,
  idle: true,
  consensus: { protocol: "none", validators: [], quorum: 0, proposer: "" },
  network: { listed: undefined, missing: [], unlisted: [] },
  addresses: [],
  relayer: "0x5AA5B164215A310E59463e97b68264b00ae9AFE4",
  lacksRoleOf: [],
  balance: 0n,
  fee: { fee: legacyFee(0n), baseFee: 0n, isFixed: false, limit: 0n, fault: undefined },
};
const CHECKS = 8;

/** Runs a monitor over some checks of a node; returns what it raises and resolves, each once. */
async function reported(inspect: (check: number) => NodeReport): Promise<string[]> {
  const events = new Set<string>();
  const add = (event: string) => (): void => void events.add(event);
  let checks = 0;
  const monitor = new NodeMonitor({
    inspect: async () => inspect((checks += 1)),
    telemetry: {
      nodeDown: add("node_down raised"),
      nodeUp: add("node_down resolved"),
      nodeConsistent: () => undefined,
      wrongChain: add("wrong_chain raised"),
      rightChain: add("wrong_chain resolved"),
      syncLost: (reason) => void events.add(`sync_lost raised: ${reason}`),
      syncRegained: add("sync_lost resolved"),
      networkFaults: () => undefined,
    },
    regularBlocks: true,
    staleSeconds: 60,
    intervalMilliseconds: 1,
  });
  monitor.start();
  try {
    await eventually(async () => assert.isAtLeast(checks, CHECKS));
  } finally {
    await monitor.stop();
  }
  return [...events];
}

describe("the node monitor after a restart", () => {
  it("resolves nothing while what it raised before lasts", async () => {
    const down = await reported(() => {
      throw unavailable(new Error("refused"));
    });
    assert.deepEqual(down, ["node_down raised"]);
    const wrong = await reported(() => {
      throw unavailable(new WrongChainError("another chain"));
    });
    assert.sameMembers(wrong, ["node_down resolved", "wrong_chain raised"], "a node of another chain responds");
    const lost = await reported(() => ({ ...IN_SYNC, syncing: true }));
    assert.include(lost, "sync_lost raised: the node is catching up with the network");
    assert.notInclude(lost, "sync_lost resolved");
  });

  it("resolves what has ended, and keeps the reason of what it raises", async () => {
    assert.sameMembers(await reported(() => IN_SYNC), [
      "node_down resolved",
      "wrong_chain resolved",
      "sync_lost resolved",
    ]);
    const ended = await reported((check) => ({ ...IN_SYNC, syncing: check <= 3 }));
    assert.sameMembers(
      ended.filter((event) => event.startsWith("sync_lost")),
      ["sync_lost raised: the node is catching up with the network", "sync_lost resolved"],
    );
  });
});
