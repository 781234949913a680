import { assert } from "chai";
import { OutcomeWaiters } from "../../../../server/chain/transactions/outcome-waiters.ts";
import type { TransactionOutcome } from "../../../../server/chain/transaction.ts";

const PENDING: TransactionOutcome = { state: "pending", sent: true };
const DONE: TransactionOutcome = { state: "cancelled" };

describe("waiters for an outcome", function () {
  it("receive an outcome recorded during the first query", async () => {
    const { promise: looked, resolve: look } = Promise.withResolvers<TransactionOutcome>();
    let first = true;
    const slow = new OutcomeWaiters((_id) => {
      if (!first) return Promise.resolve(DONE);
      first = false;
      return looked;
    });
    const waiting = slow.wait(1, 60_000);
    slow.recorded([[1, DONE]]);
    look(PENDING);
    assert.equal(await waiting, DONE);
  });

  it("receive an outcome that is handed over, without another query", async () => {
    let queries = 0;
    const waiters = new OutcomeWaiters(() => Promise.resolve(((queries += 1), PENDING)));
    const waiting = waiters.wait(1, 60_000);
    await Promise.resolve();
    waiters.recorded([
      [2, { state: "refused", reason: "of another one" }],
      [1, DONE],
    ]);
    assert.equal(await waiting, DONE);
    assert.equal(queries, 1);
  });

  it("receive the error of a failed query", async () => {
    const broken = new OutcomeWaiters(() => Promise.reject(new Error("disk")));
    const failure = await broken.wait(1, 20).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert.instanceOf(failure, Error);
  });
});
