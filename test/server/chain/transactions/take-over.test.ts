import { assert } from "chai";
import { computeAddress, hexlify, Transaction } from "ethers";
import { TakeOver } from "../../../../server/chain/transactions/take-over.ts";
import { VerifiedChain } from "../../../../server/chain/evidence/verified-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { ownKey } from "../../../../server/chain/keys/relayer-key.ts";
import { legacyFee } from "../../../../server/chain/transactions/fees.ts";
import { transactionSigner } from "../../../../server/chain/transactions/transaction-signer.ts";
import { transactionStore } from "../../../../server/journal/transactions/transaction-store.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { FakeNode } from "../../../support/fake-node.ts";
import { KEY as JOURNAL_KEY } from "../../../support/journal-key.ts";

const SELF = computeAddress(`0x${"5e".repeat(32)}`);
const KEYS = [`0x${"01".repeat(32)}`, `0x${"02".repeat(32)}`].sort((a, b) =>
  computeAddress(a) < computeAddress(b) ? -1 : 1,
);
const [KEY = "", LATER_KEY = ""] = KEYS;

for (const engine of ENGINES)
  describe(`transactions of other relayers, on ${engine}`, function () {
    let node: FakeNode;
    let rpc: Rpc;
    let journal: TestDatabase;
    let takeOver: TakeOver;
    const abandoned: number[] = [];

    beforeEach(async () => {
      node = await new FakeNode().start();
      rpc = connectRpc(node.url, FakeNode.CHAIN_ID);
      journal = await openTestDatabase(engine);
      abandoned.length = 0;
      begin(60_000);
    });
    afterEach(async () => {
      rpc.close();
      await node.stop();
      await journal.close();
    });

    const leave = async (
      key: string,
      nonce: number,
      createdAt: number,
      purpose: "anchor" | "nonce_filler" = "anchor",
    ): Promise<number> => {
      const signer = transactionSigner(ownKey(key), FakeNode.CHAIN_ID);
      const { sender, raw, hash } = await signer.filler(nonce, legacyFee(0n));
      const { id } = await journal.database
        .insertInto("transactions")
        .values({
          purpose,
          to_address: sender,
          data: null,
          state: "sent",
          sender,
          nonce,
          raw,
          hash,
          created_at: createdAt,
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      return id;
    };
    const begin = (abandonMilliseconds: number): void => {
      const store = transactionStore(journal.database, JOURNAL_KEY);
      takeOver = new TakeOver({
        chain: new VerifiedChain(rpc),
        verdictOn: async () => ({ confirms: undefined }),
        store,
        record: async (outcomes) => void (await store.recordOutcomes(outcomes)),
        onAbandoned: (count) => abandoned.push(count),
        self: SELF,
        abandonMilliseconds,
        isStopped: () => false,
      });
    };
    const seeTo = (): Promise<void> => takeOver.run();
    const nonces = (): number[] => node.sent.map((raw) => Transaction.from(raw).nonce);

    it("are sent in nonce order, with a younger one before an old one", async () => {
      await leave(KEY, 2, 10);
      await leave(KEY, 0, 20);
      // As what is put in the place of a refused transaction.
      await leave(KEY, 1, 5_000);
      await seeTo();
      assert.deepEqual(nonces(), [0, 1, 2]);
    });

    it("are recorded when they were mined, and not sent again", async () => {
      const [mined, waiting] = [await leave(KEY, 0, 10), await leave(KEY, 1, 10)];
      const first = await journal.database
        .selectFrom("transactions")
        .select("raw")
        .where("id", "=", mined)
        .executeTakeFirstOrThrow();
      await rpc.call("eth_sendRawTransaction", [hexlify(first.raw ?? new Uint8Array())]);
      node.mine();
      await seeTo();
      const store = transactionStore(journal.database, JOURNAL_KEY);
      assert.equal((await store.outcome(mined)).state, "confirmed");
      assert.equal((await store.outcome(waiting)).state, "pending");
      assert.deepEqual(nonces(), [0, 1], "the first was sent by the test alone");
    });

    it("of one key that the node rejects do not block other keys, in any number", async () => {
      const stuck = computeAddress(KEY);
      for (let nonce = 0; nonce < 520; nonce += 1) await leave(KEY, nonce, 10);
      await leave(LATER_KEY, 0, 10);
      node.onSend = ({ from }) => (from === stuck ? { code: -32000, message: "the pool is full" } : undefined);
      await seeTo();
      assert.include(
        node.sent.map((raw) => Transaction.from(raw).from),
        computeAddress(LATER_KEY),
      );
    });

    it("wait for another signature when they are in no block for long, and the chain goes on", async () => {
      const refused = { code: -32000, message: "the pool is full" };
      node.onSend = ({ nonce }) => (nonce === 0 ? undefined : refused);
      const [mined, lost, filler] = [
        await leave(KEY, 0, 10),
        await leave(KEY, 1, 10),
        await leave(LATER_KEY, 3, 10, "nonce_filler"),
      ];
      const store = transactionStore(journal.database, JOURNAL_KEY);
      const waiting = async (): Promise<number[]> => (await store.queued(10)).map(({ id }) => id);
      begin(0);
      await seeTo();
      await seeTo();
      assert.isEmpty(await waiting(), "the chain has made no block");
      node.mine();
      begin(60_000);
      await seeTo();
      node.mine();
      await seeTo();
      assert.isEmpty(await waiting(), "not for long");
      begin(0);
      await seeTo();
      node.mine();
      await seeTo();
      assert.deepEqual(await waiting(), [lost]);
      assert.deepEqual(abandoned, [1]);
      assert.equal((await store.outcome(mined)).state, "confirmed");
      assert.equal((await store.outcome(filler)).state, "cancelled", "a filler has no call");
      assert.isEmpty(await store.inFlightOfOthers(SELF));
      await seeTo();
      assert.deepEqual(abandoned, [1]);
    });
  });
