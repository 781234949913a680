import { assert } from "chai";
import { ClockStep, millisecondsSince, steadyClock } from "../../../server/kit/time.ts";

describe("clocks", () => {
  it("measure durations in whole milliseconds, whatever the wall clock is set to", () => {
    let ahead = 0;
    const steady = steadyClock(() => Date.now() + ahead);
    const before = steady();
    for (const step of [400 * 86_400_000, -400 * 86_400_000]) {
      ahead = step;
      assert.isTrue(Number.isInteger(steady()), "as the database stores it");
      assert.closeTo(steady(), before, 5_000);
    }
  });

  it("detect by how much the wall clock was set", () => {
    let ahead = 0;
    const step = new ClockStep(() => Date.now() + ahead);
    assert.closeTo(step.milliseconds(), 0, 1_000);
    ahead = -3_600_000;
    assert.closeTo(step.milliseconds(), -3_600_000, 1_000);
  });

  it("count a stored time of the future as long ago", () => {
    assert.equal(millisecondsSince(1_000, 5_000), 4_000);
    assert.equal(millisecondsSince(5_500, 5_000), -500, "clocks of two machines differ a little");
    assert.equal(millisecondsSince(5_000_000, 5_000), Infinity);
  });
});
