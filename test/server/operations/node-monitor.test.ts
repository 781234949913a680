import { assert } from "chai";
import { type BftBlock, bftReport } from "../../../server/chain/consensus/bft-report.ts";
import type { NetworkFault } from "../../../server/chain/consensus/network-faults.ts";
import { comparePeers } from "../../../server/chain/consensus/peers.ts";
import { quorumOf } from "../../../server/chain/evidence/consensus-seals.ts";
import type { NodeReport } from "../../../server/chain/node/node-inspector.ts";
import { legacyFee } from "../../../server/chain/transactions/fees.ts";
import { NodeMonitor } from "../../../server/operations/node-monitor.ts";
import { eventually } from "../../support/eventually.ts";

const VALIDATORS = ["0xa", "0xb", "0xc", "0xd", "0xe", "0xf"];
const PERIOD = 5;
const TIMEOUT = 10;
/** The monitor checks every 5 s: the network makes a block in the meantime, unless a proposer is missing. */
const CHECK_SECONDS = 5;

/** A network in simulated time, as the node of 0xa reports it: each report is 5 s after the one before. */
class SimulatedNetwork {
  readonly down = new Set<string>();
  readonly #blocks: BftBlock[] = [
    { number: 1, time: 0, round: 0, proposer: "0xa", validators: VALIDATORS, signers: VALIDATORS },
  ];
  seconds = 0;

  /** @param namesPeers Whether the node has `admin_peers` */
  readonly report = (namesPeers: boolean): NodeReport => {
    this.seconds += CHECK_SECONDS;
    this.#produce();
    const connected = VALIDATORS.slice(1).filter((each) => !this.down.has(each));
    const identities = connected.map((address) => ({ address, endpoint: address }));
    const list = VALIDATORS.map((address) => ({ address, endpoint: address }));
    const peers = comparePeers(connected.length, namesPeers ? identities : undefined, list, "0xa");
    const newest = this.#blocks.at(-1) ?? assert.fail();
    return {
      client: "simulated",
      chainId: 1,
      blockNumber: newest.number,
      blockTime: Math.floor(Date.now() / 1000),
      syncing: false,
      peers: peers.count,
      idle: false,
      consensus: {
        protocol: "QBFT",
        validators: VALIDATORS,
        quorum: quorumOf(VALIDATORS.length),
        proposer: newest.proposer,
        bft: {
          ...(bftReport(this.#blocks, peers, this.seconds - newest.time) ?? assert.fail()),
          roundChanges: 0,
        },
      },
      network: {
        listed: peers.listed,
        missing: peers.missing.map(({ address }) => address),
        unlisted: peers.unlisted.map(({ address }) => address),
      },
      addresses: [],
      relayer: "0x5AA5B164215A310E59463e97b68264b00ae9AFE4",
      lacksRoleOf: [],
      balance: 0n,
      fee: { fee: legacyFee(0n), baseFee: 0n, isFixed: false, limit: 0n, fault: undefined },
    };
  };

  /** Appends the block that is due: the proposers in turn, each missing one costs twice the wait of the one before. */
  #produce(): void {
    const last = this.#blocks.at(-1) ?? assert.fail();
    const next = VALIDATORS.indexOf(last.proposer) + 1;
    const turns = VALIDATORS.map((_, index) => VALIDATORS[(next + index) % VALIDATORS.length] ?? "");
    const alive = turns.filter((each) => !this.down.has(each));
    const round = turns.findIndex((each) => !this.down.has(each));
    const time = last.time + PERIOD + TIMEOUT * (2 ** round - 1);
    const quorum = quorumOf(VALIDATORS.length);
    if (time > this.seconds || alive.length < quorum) return;
    const signers = alive.slice(0, quorum);
    this.#blocks.push({
      number: last.number + 1,
      time,
      round,
      proposer: turns[round] ?? "",
      validators: VALIDATORS,
      signers,
    });
  }
}

describe("the node monitor on a network of six validators", () => {
  /** Returns the seconds from the failure of each validator, one after the other, until a fault names it. */
  const secondsUntilNamed = async (namesPeers: boolean, ...failing: string[]): Promise<number[]> => {
    const network = new SimulatedNetwork();
    const steps = [...failing.entries()].map(([index, validator]) => ({ validator, at: 60 + index * 120 }));
    const named = new Map<string, number>();
    const onFaults = (faults: readonly NetworkFault[]): void => {
      for (const { validator } of steps)
        if (!named.has(validator) && faults.some(({ message }) => message.includes(validator)))
          named.set(validator, network.seconds);
    };
    const unused = (): void => undefined;
    const monitor = new NodeMonitor({
      inspect: async () => {
        for (const { validator, at } of steps) if (network.seconds >= at) network.down.add(validator);
        return network.report(namesPeers);
      },
      telemetry: {
        nodeDown: (reason) => assert.fail(reason),
        nodeUp: unused,
        nodeConsistent: unused,
        wrongChain: unused,
        rightChain: unused,
        syncLost: unused,
        syncRegained: unused,
        networkFaults: onFaults,
      },
      regularBlocks: true,
      staleSeconds: 60,
      intervalMilliseconds: 1,
    });
    monitor.start();
    try {
      await eventually(async () => assert.equal(named.size, steps.length));
    } finally {
      await monitor.stop();
    }
    return steps.map(({ validator, at }) => (named.get(validator) ?? Infinity) - at);
  };

  it("names a dead validator within 30 s by the connections, and a second one as well", async () => {
    for (const seconds of await secondsUntilNamed(true, "0xc", "0xd")) assert.isAtMost(seconds, 30);
    for (const seconds of await secondsUntilNamed(true, "0xf", "0xb")) assert.isAtMost(seconds, 30);
  });

  it("names it by the blocks where the node does not return its peers", async () => {
    for (const seconds of await secondsUntilNamed(false, "0xc", "0xd")) assert.isAtMost(seconds, 90);
    for (const seconds of await secondsUntilNamed(false, "0xb", "0xf")) assert.isAtMost(seconds, 90);
  });
});
