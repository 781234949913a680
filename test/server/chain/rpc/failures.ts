import { inspect } from "node:util";
import { assert } from "chai";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import { SealbookError } from "../../../../server/errors.ts";

/** Asserts a missing response. Returns the cause's message. */
export async function unavailable(call: Promise<unknown>): Promise<string> {
  const error = await failure(call);
  assert.instanceOf(error, SealbookError, inspect(error));
  assert.equal(error.code, "chain_unavailable");
  assert.instanceOf(error.cause, Error, "there is a cause");
  return error.cause instanceof Error ? error.cause.message : "";
}

/** Asserts an error response of the node. */
export async function refused(call: Promise<unknown>): Promise<NodeError> {
  const error = await failure(call);
  assert.instanceOf(error, NodeError, inspect(error));
  return error;
}

/** Returns the error of a call, and asserts that it contains no secret. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    (result) => assert.fail(`responded with ${inspect(result)}`),
    (thrown: unknown) => thrown,
  );
  assert.notMatch(inspect(error, { depth: null, showHidden: true, getters: true }), /s[3e]cret/i);
  return error;
}
