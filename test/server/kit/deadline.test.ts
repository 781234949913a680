import { assert } from "chai";
import { within } from "../../../server/kit/deadline.ts";
import { thrownBy } from "../../support/thrown.ts";

const never = new Promise<never>(() => undefined);
const expired = (): Error => new Error("expired");

describe("deadline", () => {
  it("returns a result in time", async () => {
    assert.equal(await within(60_000, Promise.resolve(1), expired), 1);
  });

  it("rejects with the error of a failure in time", async () => {
    assert.equal((await thrownBy(within(60_000, Promise.reject(new Error("failed")), expired))).message, "failed");
  });

  it("rejects with its own error afterwards, and drops a later failure", async () => {
    assert.equal((await thrownBy(within(1, never, expired))).message, "expired");
    const late = Promise.withResolvers<never>();
    assert.equal((await thrownBy(within(1, late.promise, expired))).message, "expired");
    late.reject(new Error("late"));
  });
});
