import { inspect } from "node:util";
import { assert } from "chai";
import { NodeError } from "../../../../server/chain/rpc/rpc.ts";
import { SealbookError } from "../../../../server/errors.ts";

/** That no answer came. Gives the cause's message. */
export async function unavailable(call: Promise<unknown>): Promise<string> {
  const error = await failure(call);
  assert.instanceOf(error, SealbookError, inspect(error));
  assert.equal(error.code, "chain_unavailable");
  assert.instanceOf(error.cause, Error, "there is a cause");
  return error.cause instanceof Error ? error.cause.message : "";
}

/** That the node answered an error. */
export async function refused(call: Promise<unknown>): Promise<NodeError> {
  const error = await failure(call);
  assert.instanceOf(error, NodeError, inspect(error));
  return error;
}

/** What a call fails with. Nothing that could be logged of it holds what must not be told. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    (result) => assert.fail(`answered ${inspect(result)}`),
    (thrown: unknown) => thrown,
  );
  assert.notMatch(inspect(error, { depth: null, showHidden: true, getters: true }), /s[3e]cret/i);
  return error;
}
