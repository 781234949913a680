import { assert } from "chai";
import { AnchorDeadline } from "../../../server/proofs/anchor-deadline.ts";
import { eventually } from "../../support/eventually.ts";

const NOW = 1_000_000;
const DEADLINE_MILLISECONDS = 100;

describe("deadline of anchors", () => {
  let oldest: number | undefined;
  let late: number | undefined;
  let events: (number | "in time")[];
  let deadline: AnchorDeadline;
  beforeEach(() => {
    oldest = undefined;
    late = undefined;
    events = [];
    deadline = new AnchorDeadline({
      journal: { anchors: { oldestUnconfirmed: async () => oldest } },
      telemetry: {
        anchoringLate: (acceptedAt) => void events.push(acceptedAt),
        anchoringInTime: () => void events.push("in time"),
      },
      clock: () => NOW,
      deadlineMilliseconds: DEADLINE_MILLISECONDS,
      lateSince: () => late,
    });
    deadline.start();
  });
  afterEach(() => deadline.stop());
  const next = async (): Promise<number | "in time" | undefined> => {
    events = [];
    await eventually(async () => assert.isNotEmpty(events));
    return events[0];
  };

  it("is exceeded by the oldest proof without a confirmation", async () => {
    assert.equal(await next(), "in time");
    oldest = NOW - DEADLINE_MILLISECONDS;
    assert.equal(await next(), "in time");
    oldest -= 1;
    assert.equal(await next(), oldest);
    oldest = NOW;
    assert.equal(await next(), "in time");
  });

  it("is exceeded by what the entries have, whatever the anchors say", async () => {
    oldest = NOW;
    late = NOW - 2 * DEADLINE_MILLISECONDS;
    assert.equal(await next(), late);
  });

  it("comes with the age of that proof", async () => {
    assert.equal(await deadline.oldestSeconds(), 0);
    oldest = NOW - 2_000;
    assert.equal(await deadline.oldestSeconds(), 2);
    oldest = NOW + 2_000;
    assert.equal(await deadline.oldestSeconds(), 0);
  });
});
