import { assert } from "chai";
import { remedyFor } from "../../../server/proofs/anchor-writer.ts";

describe("remedy for a failed anchor", () => {
  it("is to split a batch when a hash in it can be at fault", () => {
    for (const reason of ["intrinsic gas too low", "InvalidHash(0x00)", "denied by policy"])
      assert.equal(remedyFor({ size: 1000 }, reason), "split", reason);
  });

  it("is to retry when the parts would fail as well", () => {
    for (const reason of ["AccessControlUnauthorizedAccount(0x7f, 0xe2)", "exceeds block gas limit", "wrong chain id"])
      assert.equal(remedyFor({ size: 1000 }, reason), "retry", reason);
  });

  it("is to retry a single hash", () => {
    for (const size of [0, 1]) assert.equal(remedyFor({ size }, "intrinsic gas too low"), "retry");
  });
});
