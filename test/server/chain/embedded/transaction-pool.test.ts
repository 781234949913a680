import { assert } from "chai";
import type { AnvilClient } from "../../../../server/chain/embedded/anvil-client.ts";
import { TransactionPool } from "../../../../server/chain/embedded/transaction-pool.ts";
import { NodeError } from "../../../../server/chain/rpc/rpc.ts";

const MOST_OF_A_SENDER = 1_024;
const MOST_FROM_OUTSIDE = 8_192;

describe("the pool of the embedded chain", () => {
  let time = 0;
  let dropped: string[] = [];
  const node: Pick<AnvilClient, "send" | "drop"> = {
    send: (raw) => (raw === "bad" ? Promise.reject(new NodeError("bad", -32_000, undefined)) : Promise.resolve(raw)),
    drop: async (hash) => void dropped.push(hash),
  };
  const full = async (pool: TransactionPool): Promise<void> => {
    for (let number = 0; number < MOST_FROM_OUTSIDE; number += 1)
      await pool.send(node, `${number}`, `sender ${number % 100}`);
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
  });

  it("limits the waiting transactions of an account, and accepts further ones when some are mined", async () => {
    const pool = newPool();
    for (let number = 0; number < MOST_OF_A_SENDER; number += 1) await pool.send(node, `${number}`, "a");
    assert.include(await refused(pool.send(node, "more", "a")), "of the account a");
    await pool.send(node, "other", "b");
    pool.remove("5");
    await pool.send(node, "more", "a");
  });

  it("counts no transaction that Anvil rejects", async () => {
    const pool = newPool();
    for (let number = 0; number <= MOST_OF_A_SENDER; number += 1) await refused(pool.send(node, "bad", "a"));
    await pool.send(node, "good", "a");
    assert.equal(pool.size, 1);
  });

  it("accepts transactions of this process when the part for the port is full", async () => {
    const pool = newPool();
    await full(pool);
    assert.include(await refused(pool.send(node, "more", "new")), "on this port");
    assert.equal(await pool.send(node, "own"), "own");
  });

  it("drops those from outside that waited for a minute, when it is full", async () => {
    const pool = newPool();
    await pool.send(node, "own");
    await full(pool);
    time = 60_001;
    await pool.send(node, "more", "new");
    assert.lengthOf(dropped, MOST_FROM_OUTSIDE);
    assert.equal(pool.size, 2);
    assert.equal(pool.get("own"), "own");
  });
});
