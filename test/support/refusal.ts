import { assert } from "chai";
import { SealbookError, type ErrorDetail } from "../../server/errors.ts";

/** Runs an operation that must be rejected as malformed; returns the error's detail. */
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
