import { assert } from "chai";
import { type PoolNode, TransactionPool } from "../../../../server/chain/embedded/transaction-pool.ts";
import type { OutsideTransaction } from "../../../../server/chain/embedded/raw-transaction.ts";
import { NodeError } from "../../../../server/chain/rpc/rpc.ts";

const MOST_OF_A_SENDER = 1_024;
const MOST_FROM_OUTSIDE = 8_192;

describe("the pool of the embedded chain", () => {
  let time = 0;
  let dropped: string[] = [];
  let sent: string[] = [];
  let nonces = new Map<string, number>();
  const node: PoolNode = {
    nextNonce: async (sender) => nonces.get(sender) ?? 0,
    async send(raw) {
      if (raw === "bad") throw new NodeError("bad", -32_000, undefined);
      const sender = raw.slice(0, 1);
      nonces.set(sender, (nonces.get(sender) ?? 0) + 1);
      sent.push(raw);
      return raw;
    },
    drop: async (hash) => void dropped.push(hash),
  };
  /** Gas plays no part, unless it is given. */
  const from = (sender: string, raw: string, { nonce = 0, gas = 0 } = {}): OutsideTransaction => ({
    ...{ raw, hash: raw, sender, nonce, gas },
  });
  const full = async (pool: TransactionPool): Promise<void> => {
    for (let number = 0; number < MOST_FROM_OUTSIDE; number += 1)
      await pool.accept(node, from(`sender ${number % 100}`, `${number}`));
  };
  const refused = async (sending: Promise<string>): Promise<string> =>
    sending.then(
      () => assert.fail("it was accepted"),
      (error: NodeError) => error.message,
    );
  const newPool = (): TransactionPool => new TransactionPool(() => time);
  beforeEach(() => {
    time = 0;
    dropped = [];
    sent = [];
    nonces = new Map();
  });

  it("limits the waiting transactions of an account, and accepts further ones when some are mined", async () => {
    const pool = newPool();
    for (let number = 0; number < MOST_OF_A_SENDER; number += 1) await pool.accept(node, from("a", `${number}`));
    assert.include(await refused(pool.accept(node, from("a", "more"))), "of the account a");
    await pool.accept(node, from("b", "other"));
    pool.remove("5");
    await pool.accept(node, from("a", "more"));
  });

  it("counts no transaction that Anvil rejects", async () => {
    const pool = newPool();
    for (let number = 0; number <= MOST_OF_A_SENDER; number += 1) await refused(pool.accept(node, from("a", "bad")));
    await pool.accept(node, from("a", "good"));
    assert.equal(pool.size, 1);
  });

  it("accepts transactions of this process when the part for the port is full", async () => {
    const pool = newPool();
    await full(pool);
    assert.include(await refused(pool.accept(node, from("new", "more"))), "on this port");
    assert.equal(await pool.send(node, "own"), "own");
  });

  it("drops those from outside that waited for a minute, when it is full", async () => {
    const pool = newPool();
    await pool.send(node, "own");
    await full(pool);
    time = 60_001;
    await pool.accept(node, from("new", "more"));
    assert.lengthOf(dropped, MOST_FROM_OUTSIDE);
    assert.equal(pool.size, 2);
    assert.equal(pool.get("own"), "own");
  });

  it("holds transactions after a gap, and sends them in order when it is filled", async () => {
    const pool = newPool();
    for (const nonce of [3, 1, 2]) await pool.accept(node, from("a", `a${nonce}`, { nonce }));
    assert.equal(pool.size, 0);
    assert.isUndefined(await pool.release(node));
    assert.equal(pool.size, 0);
    await pool.accept(node, from("a", "a0"));
    await pool.release(node);
    assert.equal(pool.size, 4);
    assert.deepEqual(sent, ["a0", "a1", "a2", "a3"]);
  });

  it("sends transactions from outside for half a block of gas a second, one of each account in turn", async () => {
    const pool = newPool();
    const gas = 10_000_000;
    for (const nonce of [0, 1, 2])
      for (const sender of ["a", "b"]) await pool.accept(node, from(sender, `${sender}${nonce}`, { nonce, gas }));
    assert.deepEqual(sent, ["a0"]);
    for (;;) {
      const milliseconds = await pool.release(node);
      if (milliseconds === undefined) break;
      const before = sent.length;
      time += milliseconds - 1;
      await pool.release(node);
      assert.lengthOf(sent, before);
      time += 1;
      await pool.release(node);
      assert.lengthOf(sent, before + 1);
      assert.equal(await pool.send(node, `${time}`), `${time}`);
      sent.pop();
    }
    assert.deepEqual(sent, ["a0", "b0", "a1", "b1", "a2", "b2"]);
    // Half a block is left at the begin, and comes again each second.
    assert.equal(time, 3_000);
  });

  it("sends a transaction with more gas than that when all of it is left, and the next ones later", async () => {
    const pool = newPool();
    await pool.accept(node, from("a", "large", { gas: 30_000_000 }));
    assert.equal(pool.size, 1);
    await pool.accept(node, from("b", "small", { gas: 21_000 }));
    assert.isAbove((await pool.release(node)) ?? 0, 1_000);
    assert.equal(pool.size, 1);
  });

  it("limits the memory of those that wait, and their number also while they are held", async () => {
    const pool = newPool();
    const large = "a".repeat(256 * 1024);
    for (let sender = 0; sender < 128; sender += 1) await pool.accept(node, from(`${sender}`, large, { nonce: 1 }));
    assert.include(await refused(pool.accept(node, from("more", large))), "on this port");
    time = 60_001;
    await pool.accept(node, from("more", large));
    const other = newPool();
    for (let nonce = 1; nonce <= MOST_OF_A_SENDER; nonce += 1)
      await other.accept(node, from("a", `${nonce}`, { nonce }));
    assert.include(await refused(other.accept(node, from("a", "0"))), "of the account a");
  });
});
