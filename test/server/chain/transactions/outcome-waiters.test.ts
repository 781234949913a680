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
    slow.recorded([1]);
    look(PENDING);
    assert.equal(await waiting, DONE);
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
