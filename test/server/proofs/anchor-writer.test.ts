import { assert } from "chai";
import { remedyFor } from "../../../server/proofs/anchor-writer.ts";

describe("the outcome of a failed anchor", () => {
  it("splits a batch when one hash can be the cause", () => {
    for (const reason of ["intrinsic gas too low", "InvalidHash(0x00)", "denied by policy"])
      assert.equal(remedyFor({ size: 1000 }, reason), "split", reason);
  });

  it("retries a batch whose parts would fail as well", () => {
    for (const reason of ["AccessControlUnauthorizedAccount(0x7f, 0xe2)", "exceeds block gas limit", "wrong chain id"])
      assert.equal(remedyFor({ size: 1000 }, reason), "retry", reason);
  });

  it("retries a single hash", () => {
    for (const size of [0, 1]) assert.equal(remedyFor({ size }, "intrinsic gas too low"), "retry");
  });
});
