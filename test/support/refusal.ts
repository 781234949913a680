import { assert } from "chai";
import { SealbookError, type ErrorDetail } from "../../server/errors.ts";

/** Runs what has to be refused as malformed, and gives the fault it was refused for. */
export function refusal(operation: () => unknown): ErrorDetail {
  try {
    operation();
  } catch (error) {
    if (!(error instanceof SealbookError)) throw error;
    assert.equal(error.code, "malformed", error.message);
    return error.details?.[0] ?? { path: "", message: error.message };
  }
  return assert.fail("accepted");
}
