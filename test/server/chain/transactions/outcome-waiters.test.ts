import { assert } from "chai";
import { OutcomeWaiters } from "../../../../server/chain/transactions/outcome-waiters.ts";
import type { TransactionOutcome } from "../../../../server/chain/transaction.ts";

const PENDING: TransactionOutcome = { state: "pending", sent: true };
const DONE: TransactionOutcome = { state: "cancelled" };

describe("waiters for an outcome", function () {
  let outcomes: Map<number, TransactionOutcome>;
  let waiters: OutcomeWaiters;
  beforeEach(() => {
    outcomes = new Map();
    waiters = new OutcomeWaiters(async (id) => outcomes.get(id) ?? PENDING);
  });

  it("receive a known outcome immediately", async () => {
    outcomes.set(1, DONE);
    assert.equal(await waiters.wait(1, 60_000), DONE);
  });

  it("receive the outcome of their own transaction only", async () => {
    const waiting = [waiters.wait(1, 60_000), waiters.wait(1, 60_000)];
    const other = waiters.wait(2, 300);
    await new Promise((resolve) => setImmediate(resolve));
    outcomes.set(1, DONE);
    waiters.recorded([1]);
    assert.deepEqual(await Promise.all(waiting), [DONE, DONE]);
    assert.equal(await other, PENDING);
  });

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

  it("time out", async () => {
    assert.equal(await waiters.wait(1, 10), PENDING);
    assert.equal(await waiters.wait(1, 0), PENDING);
  });

  it("are all released on request", async () => {
    const waiting = [waiters.wait(1, 60_000), waiters.wait(2, 60_000)];
    await new Promise((resolve) => setImmediate(resolve));
    waiters.release();
    assert.deepEqual(await Promise.all(waiting), [PENDING, PENDING]);
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
