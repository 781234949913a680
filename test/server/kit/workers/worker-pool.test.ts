import { assert } from "chai";
import { SealbookError } from "../../../../server/errors.ts";
import { type Caller, type Tasks, type TasksOptions, WorkerPool } from "../../../../server/kit/workers/worker-pool.ts";
import { eventually } from "../../../support/eventually.ts";
import type * as worker from "../../../support/job-worker.ts";
import { thrownBy } from "../../../support/thrown.ts";

const OPTIONS: TasksOptions = {
  module: new URL("../../../support/job-worker.ts", import.meta.url),
  jobs: "test jobs",
  // The budget of a test: threads yield busy processors to others.
  deadlineMilliseconds: 600_000,
  maxWaiting: 10,
  maxWaitingPerCaller: 4,
};
const account = (id: string): Caller => ({ group: "accounts", id });
const stranger = (id: string): Caller => ({ group: "strangers", id });

function refusal(error: unknown): SealbookError {
  assert.instanceOf(error, SealbookError);
  return error;
}

describe("worker pool", function () {
  const pools: WorkerPool[] = [];
  const poolWith = (threads: number): WorkerPool => {
    const pool = new WorkerPool(threads);
    pools.push(pool);
    return pool;
  };
  const tasksOf = (options: Partial<TasksOptions> = {}, pool = poolWith(1)): Tasks<typeof worker> =>
    pool.tasks<typeof worker>({ ...OPTIONS, ...options });
  afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.stop())));

  /** Keeps a pool busy until it is released. */
  function hold(pool: Tasks<typeof worker>, caller: Caller) {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    return {
      done: pool.run("held", gate, caller),
      release: () => {
        Atomics.store(gate, 0, 1);
        Atomics.notify(gate, 0);
      },
    };
  }

  it("runs jobs in another thread, one at a time and in order for each caller", async () => {
    const pool = tasksOf();
    const threads = await Promise.all([1, 2, 3].map(() => pool.run("thread", undefined, account("a"))));
    assert.lengthOf([...new Set(threads)], 1);
    assert.isAbove(threads[0] ?? 0, 0);
    assert.equal(pool.size, 0);
  });

  it("lets callers take turns, and groups of callers: nobody waits for the queue of another", async () => {
    const pool = tasksOf();
    const order: string[] = [];
    const running = hold(pool, stranger("x"));
    const run = (caller: Caller, name: string): Promise<unknown> =>
      pool.run("thread", undefined, caller).then(() => order.push(name));
    const jobs = [
      ...["x1", "x2", "x3"].map((name) => run(stranger("x"), name)),
      ...["y1", "y2"].map((name) => run(stranger("y"), name)),
      ...["a1", "a2", "a3"].map((name) => run(account("a"), name)),
      run(account("b"), "b1"),
    ];
    assert.equal(pool.size, 10);
    running.release();
    await Promise.all([running.done, ...jobs]);
    assert.deepEqual(order.slice(0, 4), ["a1", "y1", "b1", "x1"]);
    assert.sameMembers(order, ["x1", "x2", "x3", "y1", "y2", "a1", "a2", "a3", "b1"]);
  });

  it("refuses jobs of a caller, and of a group, that has too many in flight, and those of no other", async () => {
    const pool = tasksOf({ maxWaiting: 6 });
    const running = hold(pool, stranger("x"));
    const jobs = [1, 2, 3].map(() => pool.run("thread", undefined, stranger("x")));
    const tooMany = refusal(await thrownBy(pool.run("thread", undefined, stranger("x"))));
    assert.deepEqual([tooMany.code, tooMany.retryAfterSeconds], ["too_many_requests", 1]);
    assert.include(tooMany.message, "at most 4 at a time");
    jobs.push(pool.run("thread", undefined, stranger("y")), pool.run("thread", undefined, stranger("y")));
    assert.equal(refusal(await thrownBy(pool.run("thread", undefined, stranger("z")))).code, "overloaded");
    jobs.push(pool.run("thread", undefined, account("a")));
    running.release();
    assert.lengthOf(await Promise.all([running.done, ...jobs]), 7);
    await pool.run("thread", undefined, stranger("x"));
  });

  // Security, network: cannot occupy a decoding thread: beyond its time or memory it is ended and replaced
  it("ends and replaces a thread whose job exceeds the time, and names the budget", async () => {
    const pool = tasksOf({ deadlineMilliseconds: 3_000 });
    // The start of a thread counts, and can take longer on a busy machine.
    const before = await eventually(() => pool.run("thread", undefined));
    const late = pool.run("endless", undefined, account("a"));
    const next = eventually(() => pool.run("thread", undefined, account("b")));
    const error = refusal(await thrownBy(late));
    assert.equal(error.code, "too_expensive");
    assert.equal(error.message, "this needs more than 3 s, the budget for test jobs");
    assert.isAbove(await next, before);
  });

  it("ends and replaces a thread whose job exceeds the memory, and names the budget", async () => {
    const pool = tasksOf();
    const before = await pool.run("thread", undefined);
    const error = refusal(await thrownBy(pool.run("greedy", undefined)));
    assert.equal(error.code, "too_expensive");
    assert.equal(error.message, "this needs more than 512 MiB of memory, the budget for test jobs");
    assert.isAbove(await pool.run("thread", undefined), before);
  });

  it("passes the errors of a job on, with their details", async () => {
    const pool = tasksOf();
    const malformed = refusal(await thrownBy(pool.run("refused", "payload")));
    assert.deepEqual(
      [malformed.code, malformed.message, malformed.details],
      ["malformed", "payload: is wrong", [{ path: "payload", message: "is wrong" }]],
    );
    const busy = refusal(await thrownBy(pool.run("refused", "")));
    assert.deepEqual([busy.code, busy.details, busy.retryAfterSeconds], ["overloaded", undefined, 7]);
    assert.instanceOf(await thrownBy(pool.run("failing", undefined)), RangeError);
  });

  it("reports a module that cannot be loaded, and does not hang", async () => {
    const pool = tasksOf({ module: new URL("./missing.ts", import.meta.url) });
    for (let attempt = 0; attempt < 2; attempt += 1)
      assert.match((await thrownBy(pool.run("thread", undefined))).message, /Cannot find module/);
  });

  it("runs one job of a kind at a time, and another kind beside it", async () => {
    const pool = poolWith(2);
    const [slow, other] = [tasksOf({}, pool), tasksOf({}, pool)];
    const running = hold(slow, account("a"));
    let isDone = false;
    const next = slow.run("thread", undefined, account("b")).then(() => (isDone = true));
    for (let number = 0; number < 3; number += 1) await other.run("thread", undefined, account("b"));
    assert.isFalse(isDone);
    running.release();
    await Promise.all([running.done, next]);
  });

  it("fails unfinished jobs when it stops", async () => {
    const threads = poolWith(1);
    const pool = tasksOf({}, threads);
    const running = hold(pool, account("a"));
    await eventually(async () => assert.equal(pool.size, 1));
    const failure = thrownBy(running.done);
    await threads.stop();
    assert.match((await failure).message, /Terminating worker thread/);
  });
});
