import { expect } from "chai";
import { ReplicationLag } from "../../../../server/journal/replication/replication-lag.ts";

describe("replication lag", () => {
  it("counts from the first sight of the oldest waiting entry", () => {
    const lag = new ReplicationLag();
    lag.seen(3, 1_000);
    lag.seen(3, 2_000);
    lag.seen(8, 3_000);
    expect(lag.at(4_000)).to.deep.equal({ entries: 8, seconds: 3 });
    lag.replicated(2);
    expect(lag.at(4_000)).to.deep.equal({ entries: 6, seconds: 3 });
    lag.replicated(3);
    expect(lag.at(4_000)).to.deep.equal({ entries: 5, seconds: 1 });
  });

  it("does not decrease with the clock", () => {
    const lag = new ReplicationLag();
    lag.seen(1, 5_000);
    expect(lag.at(1_000).seconds).to.equal(0);
  });

  it("continues when a target that was ahead lags again", () => {
    const lag = new ReplicationLag();
    lag.seen(10, 1_000);
    lag.replicated(10);
    lag.replicated(4);
    lag.seen(10, 2_000);
    expect(lag.at(3_000)).to.deep.equal({ entries: 6, seconds: 1 });
  });

  it("never decreases during an outage", () => {
    const lag = new ReplicationLag();
    for (let sequence = 1; sequence <= 5_000; sequence++) lag.seen(sequence, sequence * 1_000);
    for (const replicated of [0, 1, 2, 999, 1_000, 2_500, 4_998, 4_999]) {
      lag.replicated(replicated);
      const { entries, seconds } = lag.at(5_000_000);
      expect(entries).to.equal(5_000 - replicated);
      expect(seconds).to.be.at.least(5_000 - replicated - 1);
      expect(seconds).to.be.at.most(5_000);
    }
  });
});
