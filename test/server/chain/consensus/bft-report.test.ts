import { expect } from "chai";
import { type BftBlock, expectedProposers } from "../../../../server/chain/consensus/bft-block.ts";
import { bftReport } from "../../../../server/chain/consensus/bft-report.ts";
import { paceOf, rhythmOf, stalledAfter } from "../../../../server/chain/consensus/pace.ts";
import { participationIn } from "../../../../server/chain/consensus/participation.ts";
import { mostFaulty, quorumOf } from "../../../../server/chain/consensus/quorum.ts";

const VALIDATORS = ["0xa", "0xb", "0xc", "0xd", "0xe", "0xf"];
const PERIOD = 5;
const TIMEOUT = 10;

/** Blocks of validators of which some never propose and some are down; the others seal in rotation. */
function blocksOf(
  count: number,
  { silent = [], missing = [] }: { silent?: readonly string[]; missing?: readonly string[] } = {},
): BftBlock[] {
  const blocks: BftBlock[] = [
    { number: 1, time: 1_000, round: 0, proposer: "0xa", validators: VALIDATORS, signers: VALIDATORS },
  ];
  for (let last = blocks.at(-1); last !== undefined && blocks.length < count; last = blocks.at(-1)) {
    const position = VALIDATORS.indexOf(last.proposer) + 1;
    const proposers = VALIDATORS.map((_, index) => VALIDATORS[(position + index) % VALIDATORS.length] ?? "");
    const round = proposers.findIndex((validator) => !silent.includes(validator) && !missing.includes(validator));
    const proposer = proposers[round] ?? "";
    const present = proposers.filter((validator) => !missing.includes(validator));
    const quorum = present.slice(0, quorumOf(VALIDATORS.length));
    blocks.push({
      number: last.number + 1,
      time: last.time + PERIOD + TIMEOUT * (2 ** round - 1),
      round,
      proposer,
      validators: VALIDATORS,
      signers: quorum,
    });
  }
  return blocks;
}

const statesIn = (blocks: readonly BftBlock[]): Record<string, string> =>
  Object.fromEntries(participationIn(blocks).map(({ validator, state }) => [validator, state]));
const without = (...others: readonly [string, string][]): Record<string, string> => ({
  ...Object.fromEntries(VALIDATORS.map((validator) => [validator, "active"])),
  ...Object.fromEntries(others),
});

describe("a network of validators", () => {
  it("needs a quorum of two thirds, rounded up, and continues without the others", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 10, 100].map(quorumOf)).to.deep.equal([1, 2, 2, 3, 4, 4, 5, 7, 67]);
    expect([1, 2, 3, 4, 5, 6, 7, 10, 100].map(mostFaulty)).to.deep.equal([0, 0, 1, 1, 1, 2, 2, 3, 33]);
  });

  it("rotates the proposers: from the previous proposer on, one further per round", () => {
    const block = (round: number, proposer: string): BftBlock => ({
      number: 2,
      time: 0,
      round,
      proposer,
      validators: VALIDATORS,
      signers: [],
    });
    expect(expectedProposers(block(0, "0xb"), block(0, "0xa"))).to.deep.equal(["0xb"]);
    expect(expectedProposers(block(2, "0xb"), block(0, "0xe"))).to.deep.equal(["0xf", "0xa", "0xb"]);
    expect(expectedProposers(block(7, "0xb"), block(0, "0xf"))).to.deep.equal([
      "0xa",
      "0xb",
      "0xc",
      "0xd",
      "0xe",
      "0xf",
      "0xa",
      "0xb",
    ]);
    // The proposer before was voted out.
    expect(expectedProposers(block(1, "0xe"), block(0, "0xcc"))).to.deep.equal(["0xd", "0xe"]);
    expect(expectedProposers(block(0, "0xa"), block(0, "0xff"))).to.deep.equal(["0xa"]);
  });

  it("shows its active validators in the headers, although each header has a quorum only", () => {
    expect(statesIn(blocksOf(30))).to.deep.equal(without());
    expect(statesIn(blocksOf(30, { silent: ["0xc"] }))).to.deep.equal(without(["0xc", "silent"]));
    expect(statesIn(blocksOf(30, { missing: ["0xc", "0xd"] }))).to.deep.equal(
      without(["0xc", "missing"], ["0xd", "missing"]),
    );
    // One missed turn is no news.
    const passing = [...blocksOf(8, { silent: ["0xd"] })];
    expect(participationIn(passing).find(({ validator }) => validator === "0xd")).to.include({
      state: "active",
      missedProposals: 1,
    });
  });

  it("derives block period and round timeout from the block times", () => {
    expect(rhythmOf([])).to.equal(undefined);
    expect(rhythmOf(blocksOf(1))).to.equal(undefined);
    // Nobody was waited for yet.
    expect(rhythmOf(blocksOf(10))).to.deep.equal({ blockPeriod: PERIOD, requestTimeout: 2 * PERIOD });
    expect(rhythmOf(blocksOf(30, { missing: ["0xc", "0xd"] }))).to.deep.equal({
      blockPeriod: PERIOD,
      requestTimeout: TIMEOUT,
    });
    const [first, ...rest] = blocksOf(20);
    const afterPause = [...(first === undefined ? [] : [{ ...first, time: first.time - 3_600 }]), ...rest];
    expect(rhythmOf(afterPause)?.blockPeriod).to.equal(PERIOD);
  });

  it("does not take the pause of a restarted network for its round timeout", () => {
    // All nodes were restarted: the first block afterwards has round 1, 144 s after the one before.
    const blocks = blocksOf(10);
    const last = blocks.at(-1);
    if (last === undefined) throw new Error("There are blocks.");
    const afterRestart = [...blocks, { ...last, number: last.number + 1, time: last.time + PERIOD + 144, round: 1 }];
    expect(rhythmOf(afterRestart)?.requestTimeout).to.equal(2 * PERIOD);
    expect(rhythmOf(afterRestart, TIMEOUT + 1)?.requestTimeout).to.equal(TIMEOUT + 1);
    const shortPeriod = blocksOf(3).map((block, index) => ({ ...block, time: index, round: index === 2 ? 1 : 0 }));
    expect(rhythmOf(shortPeriod.map((block) => ({ ...block, time: block.time + 10 * block.round })))).to.deep.equal({
      blockPeriod: 1,
      requestTimeout: 10,
    });
  });

  it("is slow while round changes explain the delay, and stalled afterwards", () => {
    const rhythm = { blockPeriod: PERIOD, requestTimeout: TIMEOUT };
    // Two of six may be missing, one after the other: 5 + 10 + 20 s.
    expect(stalledAfter(rhythm, 6)).to.equal(37);
    expect([0, 6, 16, 36].map((age) => paceOf(rhythm, 6, age))).to.deep.equal(["on_time", "on_time", "slow", "slow"]);
    expect(paceOf(rhythm, 6, 38)).to.equal("stalled");
    // Nobody may be missing of three validators but one, and nobody of one.
    expect([paceOf(rhythm, 3, 16), paceOf(rhythm, 3, 18), paceOf(rhythm, 1, 8)]).to.deep.equal([
      "slow",
      "stalled",
      "stalled",
    ]);
    expect(stalledAfter(rhythm, 100)).to.equal(602);
  });

  it("reports missing validators: from the blocks while they arrive, then from the peers", () => {
    const blocks = blocksOf(30, { missing: ["0xc"] });
    const reported = (addresses: readonly string[] | undefined, age: number) => {
      const { pace, missing, quorumMissing } = bftReport(blocks, { count: 2, addresses }, age) ?? {};
      return { pace, missing, quorumMissing };
    };
    expect(reported(["0xa", "0xb"], 1)).to.deep.equal({ pace: "on_time", missing: ["0xc"], quorumMissing: 0 });
    expect(reported(["0xa", "0xb", "0xe"], 600)).to.deep.equal({
      pace: "stalled",
      missing: ["0xc", "0xd", "0xf"],
      quorumMissing: 1,
    });
    // A node that does not name its peers: two, and itself.
    expect(reported(undefined, 600)).to.deep.equal({ pace: "stalled", missing: ["0xc"], quorumMissing: 1 });
    expect(bftReport([], { count: 2, addresses: undefined }, 0)).to.equal(undefined);
  });
});
