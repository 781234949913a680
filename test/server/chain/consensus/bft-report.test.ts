import { expect } from "chai";
import {
  type BftBlock,
  bftReport,
  paceOf,
  rhythmOf,
  stalledAfter,
  participationIn,
} from "../../../../server/chain/consensus/bft-report.ts";
import { mostFaulty, quorumOf } from "../../../../server/chain/evidence/consensus-seals.ts";

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

  it("counts the turns of a validator from when it joined", () => {
    const blocks = blocksOf(20, { silent: ["0xc"] });
    const joined = (at: number) =>
      blocks.map((block, index) =>
        index < at ? { ...block, validators: block.validators.filter((each) => each !== "0xc") } : block,
      );
    const missedOf = (all: readonly BftBlock[]) =>
      participationIn(all).find(({ validator }) => validator === "0xc")?.missedProposals;
    expect([0, 8, 14, 15].map((at) => missedOf(joined(at)))).to.deep.equal([3, 2, 1, 0]);
  });

  it("has the block period of its blocks, and the request timeout that is configured", () => {
    expect(rhythmOf([])).to.equal(undefined);
    expect(rhythmOf(blocksOf(1))).to.equal(undefined);
    for (const blocks of [blocksOf(10), blocksOf(30, { missing: ["0xc", "0xd"] })]) {
      expect(rhythmOf(blocks)).to.deep.equal({ blockPeriod: PERIOD, requestTimeout: 2 * PERIOD });
      expect(rhythmOf(blocks, TIMEOUT + 1)).to.deep.equal({ blockPeriod: PERIOD, requestTimeout: TIMEOUT + 1 });
    }
    const [first, ...rest] = blocksOf(20);
    const afterPause = [...(first === undefined ? [] : [{ ...first, time: first.time - 3_600 }]), ...rest];
    expect(rhythmOf(afterPause)?.blockPeriod).to.equal(PERIOD);
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
