import { assert } from "chai";
import { SealbookError } from "../../../server/errors.ts";
import { type AttemptLimit, attemptLimit, FailureTracker } from "../../../server/sessions/failed-logins.ts";
import { failuresInMemory } from "../../support/failures-in-memory.ts";

const WRONG = new SealbookError("login_refused", "wrong");
const limitOf = (most: number, forgives = false): AttemptLimit =>
  attemptLimit(
    new FailureTracker({ most, store: failuresInMemory() }),
    { what: "failures", forgives },
    { loginsLockedOut: () => undefined, loginBlocked: () => undefined },
  );

async function codeOf(running: Promise<unknown>): Promise<string> {
  try {
    await running;
    return "ok";
  } catch (error) {
    return error instanceof SealbookError ? error.code : "unknown";
  }
}

describe("limit of attempts", () => {
  it("never rejects successful attempts, however many are concurrent", async () => {
    const limit = limitOf(3);
    let atOnce = 0;
    let most = 0;
    const attempt = async (): Promise<void> => {
      most = Math.max(most, (atOnce += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce -= 1;
    };
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(limit("a", attempt))));
    assert.deepEqual(codes, Array(20).fill("ok"));
    assert.equal(most, 3, "more than the maximum of failures are never in progress");
  });

  it("bounds the failures of concurrent attempts", async () => {
    const limit = limitOf(3);
    let tried = 0;
    const attempt = async (): Promise<never> => {
      tried += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw WRONG;
    };
    const codes = await Promise.all(Array.from({ length: 20 }, () => codeOf(limit("a", attempt))));
    assert.equal(tried, 3);
    assert.lengthOf(
      codes.filter((code) => code === "login_refused"),
      3,
    );
    assert.lengthOf(
      codes.filter((code) => code === "too_many_requests"),
      17,
    );
  });

  it("does not count failures for other reasons", async () => {
    const limit = limitOf(1);
    const other = new SealbookError("chain_unavailable", "unavailable");
    for (let n = 0; n < 3; n += 1)
      assert.equal(await codeOf(limit("a", () => Promise.reject(other))), "chain_unavailable");
  });
});
