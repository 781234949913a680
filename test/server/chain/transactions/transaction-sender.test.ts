import { assert } from "chai";
import { getBytes, hexlify, Interface, keccak256, Transaction, Wallet } from "ethers";
import { VerifiedChain } from "../../../../server/chain/evidence/verified-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { CommitSigner } from "../../../../server/chain/transactions/commit-signer.ts";
import { FeeSource } from "../../../../server/chain/transactions/fees.ts";
import { type SenderEvent, TransactionSender } from "../../../../server/chain/transactions/transaction-sender.ts";
import { ownKey } from "../../../../server/chain/keys/relayer-key.ts";
import { transactionSigner } from "../../../../server/chain/transactions/transaction-signer.ts";
import type { TransactionStore } from "../../../../server/chain/transactions/types.ts";
import type { TransactionOutcome } from "../../../../server/chain/transaction.ts";
import { intentStore } from "../../../../server/journal/transactions/intent-store.ts";
import { transactionStore } from "../../../../server/journal/transactions/transaction-store.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { eventually } from "../../../support/eventually.ts";
import { FakeNode } from "../../../support/fake-node.ts";
import { FEES } from "../../../support/fees.ts";
import { KEY as JOURNAL_KEY } from "../../../support/journal-key.ts";

/** Ends a test that has failed. */
const DEADLINE_MILLISECONDS = 300_000;
const KEY = `0x${"5e".repeat(32)}`;
const CONTRACT = `0x${"11".repeat(20)}`;
const OTHER = new Wallet(`0x${"0e".repeat(32)}`);
const TRANSFER = { type: 0, chainId: FakeNode.CHAIN_ID, to: OTHER.address, gasPrice: 0n, gasLimit: 21_000, nonce: 0 };
const ADDRESSES = { SessionRegistry: CONTRACT, EventTable: CONTRACT, ProofAnchor: CONTRACT };

for (const engine of ENGINES)
  describe(`transaction sender, on ${engine}`, function () {
    let node: FakeNode;
    let rpc: Rpc;
    let journal: TestDatabase;
    let sender: TransactionSender;
    let events: SenderEvent[];

    const storeOf = (): TransactionStore => transactionStore(journal.database, JOURNAL_KEY);

    const startSender = (store: TransactionStore = storeOf(), recheckMilliseconds?: number) => {
      const signer = transactionSigner(ownKey(KEY), FakeNode.CHAIN_ID);
      const fees = new FeeSource(rpc, FEES);
      sender = new TransactionSender({
        chain: new VerifiedChain(rpc, {
          validatorNames: new Map([[FakeNode.MINER.toLowerCase(), "validator one"]]),
        }),
        verdictOn: async () => ({ confirms: undefined }),
        store,
        contracts: Object.values(ADDRESSES),
        signer,
        commitSigner: new CommitSigner(signer, fees),
        fees,
        foreignCallReason: () => undefined,
        recheckMilliseconds,
        onEvent: (event) => events.push(event),
      });
      sender.start();
    };
    const intend = (text: string): Promise<number> =>
      intentStore(journal.database, JOURNAL_KEY, ADDRESSES).insert({
        purpose: "anchor",
        contract: "ProofAnchor",
        data: Buffer.from(text),
      });
    const row = (id: number) =>
      journal.database.selectFrom("transactions").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
    const textOf = (raw: string) => Buffer.from(Transaction.from(raw).data.slice(2), "hex").toString();
    /** What the node has got, without what a slow machine gave it again: the recheck comes every few seconds. */
    const distinct = (): string[] => [...new Set(node.sent)];
    const sentTexts = () => distinct().map(textOf);
    const mine = (): void => sender.onHead(node.mine());
    /** Waits until the node has got this many sends. */
    const sends = (count: number) => eventually(async () => assert.isAtLeast(node.sent.length, count));
    /** Waits until the node has got this many different transactions. */
    const receives = (count: number) => eventually(async () => assert.isAtLeast(distinct().length, count));
    const outcome = (id: number): Promise<TransactionOutcome> => sender.outcome(id, DEADLINE_MILLISECONDS);
    const now = (id: number): Promise<TransactionOutcome> => sender.outcome(id, 0);
    const sent = async (...texts: string[]): Promise<number[]> => {
      // A recheck can send the first before the last is written.
      const before = distinct().length;
      const ids = [];
      for (const text of texts) ids.push(await intend(text));
      sender.wake();
      await receives(before + texts.length);
      return ids;
    };

    beforeEach(async () => {
      node = await new FakeNode().start();
      rpc = connectRpc(node.url, FakeNode.CHAIN_ID);
      journal = await openTestDatabase(engine);
      events = [];
      startSender();
    });
    afterEach(async () => {
      const stopped = sender.stop();
      await node.stop();
      await stopped;
      rpc.close();
      await journal.close();
    });

    it("sends intents in order, with consecutive nonces, and confirms them with their block", async () => {
      const ids = await sent("one", "two", "three");
      assert.sameMembers(sentTexts(), ["one", "two", "three"]);
      const nonces = new Map(node.sent.map((raw) => [textOf(raw), Transaction.from(raw).nonce]));
      assert.deepEqual([nonces.get("one"), nonces.get("two"), nonces.get("three")], [0, 1, 2]);
      for (const id of ids) assert.deepEqual(await now(id), { state: "pending", sent: true });
      mine();
      for (const [index, id] of ids.entries()) {
        const recorded = await outcome(id);
        assert.equal(recorded.state, "confirmed");
        if (recorded.state !== "confirmed") continue;
        const raw = node.sent.find((candidate) => Transaction.from(candidate).nonce === index) ?? "";
        assert.equal(hexlify(recorded.hash), keccak256(raw));
        const { number, hash, time, validator } = recorded.block;
        assert.deepEqual([number, hexlify(hash), time, validator], [1, node.blocks[1]?.hash, 1_001, "validator one"]);
      }
      assert.isEmpty(events);
    });

    it("processes intents announced before its start", async () => {
      await sender.stop();
      sender.wake();
      sender.onHead(0);
      sender.start();
      await sent("first");
      await sent("second");
      assert.deepEqual(sentTexts(), ["first", "second"]);
    });

    it("reads the journal again after a failed write that was stored, and uses no nonce twice", async () => {
      await sender.stop();
      const store = transactionStore(journal.database, JOURNAL_KEY);
      let failures = 1;
      startSender({
        ...store,
        async claim(...claimed) {
          const signed = await store.claim(...claimed);
          if (signed.length > 0 && failures-- > 0) throw new Error("input/output error");
          return signed;
        },
      });
      const first = await intend("first");
      sender.wake();
      await eventually(async () =>
        assert.include(
          events.map(({ kind }) => kind),
          "failing",
        ),
      );
      const second = await intend("second");
      sender.wake();
      await receives(2);
      mine();
      assert.equal((await outcome(first)).state, "confirmed");
      assert.equal((await outcome(second)).state, "confirmed");
      assert.deepEqual([(await row(first)).nonce, (await row(second)).nonce], [0, 1]);
    });

    it("hands over outcomes that are on disk though their write has failed", async () => {
      await sender.stop();
      const store = transactionStore(journal.database, JOURNAL_KEY);
      let failures = 1;
      startSender({
        ...store,
        async recordOutcomes(...outcomes) {
          const recorded = await store.recordOutcomes(...outcomes);
          if (failures-- > 0) throw new Error("input/output error");
          return recorded;
        },
      });
      const [first = 0] = await sent("first");
      const published = new Set<number>();
      sender.onOutcome((outcomes) => outcomes.forEach(([id]) => published.add(id)));
      const waiting = outcome(first);
      mine();
      assert.equal((await waiting).state, "confirmed");
      assert.isTrue(published.has(first));
    });

    it("stores the signed bytes on disk before it sends them", async () => {
      const checked: Promise<void>[] = [];
      node.onSend = (_transaction, raw) => {
        checked.push(
          (async () => {
            const rows = await journal.database.selectFrom("transactions").selectAll().execute();
            assert.include(
              rows.map((each) => (each.raw === null ? "" : hexlify(each.raw))),
              raw,
            );
          })(),
        );
        return undefined;
      };
      await sent("a", "b");
      assert.isAtLeast(checked.length, 2);
      await Promise.all(checked);
    });

    it("treats a transaction known to the node as sent", async () => {
      node.onSend = (transaction) => {
        node.pool.set(transaction.nonce, transaction);
        return { code: -32000, message: "already known" };
      };
      const [id = 0] = await sent("known");
      mine();
      assert.equal((await outcome(id)).state, "confirmed");
      assert.lengthOf(distinct(), 1);
    });

    it("confirms a transaction mined before its response, after the error nonce too low", async () => {
      node.onSend = (transaction) => {
        node.pool.set(transaction.nonce, transaction);
        node.mine();
        return { code: -32000, message: "nonce too low" };
      };
      const [id = 0] = await sent("mined");
      assert.equal((await outcome(id)).state, "confirmed");
      assert.lengthOf(new Set(node.sent), 1);
    });

    it("does not sign a mined transaction again when only the receipt is late", async () => {
      node.receipts = "late";
      node.onSend = (transaction) => {
        if (node.sent.length > 1) return undefined;
        node.pool.set(transaction.nonce, transaction);
        node.mine();
        return { code: -32000, message: "nonce too low" };
      };
      const [id = 0] = await sent("mined");
      await new Promise((resolve) => setTimeout(resolve, 300));
      node.receipts = "shown";
      mine();
      await outcome(id);
      assert.lengthOf(new Set(node.sent), 1, "signed once");
      assert.equal(node.blocks.flatMap(({ receipts }) => receipts).length, 1, "carried out once");
      assert.equal((await now(id)).state, "confirmed");
    });

    it("signs again when another sender used the nonce", async () => {
      let first = true;
      node.onSend = () => {
        if (!first) return undefined;
        first = false;
        node.nonce = 5;
        return { code: -32000, message: "nonce too low" };
      };
      const [id = 0] = await sent("taken");
      await receives(2);
      assert.deepEqual(
        distinct().map((raw) => Transaction.from(raw).nonce),
        [0, 5],
      );
      mine();
      assert.equal((await outcome(id)).state, "confirmed");
      assert.lengthOf(distinct(), 2);
      assert.isTrue(events.some(({ kind }) => kind === "nonce_taken"));
      assert.equal((await row(id)).nonce, 5);
    });

    for (const message of [
      "invalid nonce; got 0, expected 5: invalid sequence",
      "the tx doesn't have the correct nonce. account has nonce of: 5 tx has nonce of: 0",
      "transaction rejected",
      "intrinsic gas too low",
      "replacement transaction underpriced",
      "already known",
      "",
    ])
      it(`signs again when another sender used the nonce, and the node says "${message}"`, async () => {
        let first = true;
        node.onSend = (transaction) => {
          if (first) node.nonce = 5;
          first = false;
          return transaction.nonce < node.nonce ? { code: -32000, message } : undefined;
        };
        const [id = 0] = await sent("taken");
        await receives(2);
        assert.deepEqual(
          distinct().map((raw) => Transaction.from(raw).nonce),
          [0, 5],
        );
        mine();
        assert.equal((await outcome(id)).state, "confirmed");
        assert.isTrue(events.some(({ kind }) => kind === "nonce_taken"));
      });

    it("does not sign again when a lagging node behind a load balancer lacks the block", async () => {
      const [id = 0] = await sent("mined");
      await sender.stop();
      node.mine();
      node.lags = (method) => method === "eth_getTransactionReceipt" || method === "eth_blockNumber";
      startSender();
      await sends(2);
      // The stop waits for work in progress: for the node's response that the nonce was used.
      await sender.stop();
      startSender();
      await sends(3);
      assert.lengthOf(new Set(node.sent), 1);
      node.lags = () => false;
      mine();
      assert.equal((await outcome(id)).state, "confirmed");
      assert.isFalse(events.some(({ kind }) => kind === "nonce_taken"));
    });

    it("fails a transaction that the node rejects permanently, fills its nonce and continues", async () => {
      node.onSend = (transaction) =>
        Buffer.from(transaction.data.slice(2), "hex").toString() === "bad"
          ? { code: -32000, message: "intrinsic gas too low" }
          : undefined;
      const [before = 0, bad = 0, next = 0, last = 0] = await sent("before", "bad", "next", "last");
      await receives(5);
      const filler = node.sent
        .map((raw) => Transaction.from(raw))
        .find(({ nonce, data }) => nonce === 1 && data === "0x");
      assert.isDefined(filler);
      assert.equal(filler?.to, sender.address, "it pays nobody");
      assert.equal(filler?.value, 0n);
      mine();
      for (const id of [before, next, last]) assert.equal((await outcome(id)).state, "confirmed");
      const refused = await outcome(bad);
      assert.equal(refused.state, "reverted");
      assert.include("reason" in refused ? refused.reason : "", "intrinsic gas too low");
    });

    it("takes what is mined as the outcome, whatever a node says of it", async () => {
      node.onSend = ({ data }) => (data === "0x" ? undefined : { code: -32000, message: "intrinsic gas too low" });
      const [id = 0] = await sent("stored");
      await receives(2);
      // Another node has what this one has refused.
      const [call = ""] = distinct();
      node.pool.set(0, Transaction.from(call));
      mine();
      const recorded = await outcome(id);
      assert.equal(recorded.state === "confirmed" && hexlify(recorded.hash), keccak256(call));
    });

    it("raises the fee of the lowest nonce only, and of the next one when that is mined", async () => {
      await sender.stop();
      startSender(undefined, 50);
      node.gasPrice = 10n;
      await sent("first", "second");
      node.gasPrice = 100n;
      node.pool.clear();
      node.onSend = ({ gasPrice }) => (gasPrice === 100n ? undefined : { code: -32000, message: "underpriced" });
      const raised = () => distinct().flatMap((raw) => (Transaction.from(raw).gasPrice === 100n ? [textOf(raw)] : []));
      await eventually(async () => assert.deepEqual(raised(), ["first"]));
      mine();
      await eventually(async () => assert.deepEqual(raised(), ["first", "second"]));
    });

    it("fills a nonce once, also when the node rejects the filler, and sends it again", async () => {
      node.onSend = () => ({ code: -32000, message: "intrinsic gas too low" });
      const [bad = 0] = await sent("bad");
      await eventually(async () =>
        assert.deepEqual([...new Set(events.map(({ kind }) => kind))], ["refused", "replaced", "failing"]),
      );
      await sender.stop();
      assert.lengthOf(distinct(), 2, "what was refused and what fills its nonce");
      node.onSend = () => undefined;
      startSender();
      await eventually(async () => assert.isTrue(node.pool.has(0)));
      mine();
      await eventually(async () =>
        assert.equal(await transactionStore(journal.database, JOURNAL_KEY).countInFlight(), 0),
      );
      assert.equal((await now(bad)).state, "reverted");
      assert.lengthOf(await journal.database.selectFrom("transactions").select("state").execute(), 1);
    });

    it("reports a revert with the reason", async () => {
      node.reverts = ({ nonce }) => nonce === 1;
      node.revertData = new Interface(["error InvalidHash(bytes32 hash)"]).encodeErrorResult("InvalidHash", [
        `0x${"00".repeat(32)}`,
      ]);
      const [good = 0, bad = 0] = await sent("good", "bad");
      mine();
      assert.equal((await outcome(good)).state, "confirmed");
      const reverted = await outcome(bad);
      assert.equal(reverted.state, "reverted");
      assert.include("reason" in reverted ? reverted.reason : "", `InvalidHash(0x${"00".repeat(32)})`);
    });

    describe("without its recheck", function () {
      let methods: string[];
      const reads = (method: string): number => methods.filter((each) => each === method).length;
      beforeEach(async () => {
        await sender.stop();
        startSender(storeOf(), 2 * DEADLINE_MILLISECONDS);
        methods = [];
        node.lags = (method) => methods.push(method) < 0;
      });

      it("reads headers only of blocks that have no log of its contracts", async () => {
        node.onSend = () => "lost";
        await sent("later");
        methods = [];
        sender.onHead(node.mine([await OTHER.signTransaction(TRANSFER)]));
        await eventually(async () => assert.equal(reads("eth_getTransactionCount"), 1));
        assert.deepEqual([reads("eth_getBlockByNumber"), reads("eth_getBlockReceipts")], [1, 0]);
      });

      it("confirms a call by its log", async () => {
        node.prunesStates = true;
        node.logs = () => [{ address: CONTRACT, topics: [], data: "0x" }];
        const [id = 0] = await sent("logged");
        mine();
        assert.equal((await outcome(id)).state, "confirmed");
        assert.equal(reads("eth_getBlockReceipts"), 1);
      });

      it("finds a call without a log by its nonce", async () => {
        const [repeated = 0, reverted = 0] = await sent("repeats an anchor", "is reverted");
        node.reverts = ({ nonce }) => nonce === 1;
        mine();
        assert.equal((await outcome(repeated)).state, "confirmed");
        assert.equal((await outcome(reverted)).state, "reverted");
      });

      it("reads each block once, also when the node has no state of it", async () => {
        node.prunesStates = true;
        node.onSend = () => "lost";
        await sent("later");
        methods = [];
        for (let count = 1; count <= 3; count += 1) {
          const block = node.mine([await OTHER.signTransaction(TRANSFER)]);
          // The node has the state of a later one when it is asked.
          node.mine();
          sender.onHead(block);
          await eventually(async () => assert.equal(reads("eth_getTransactionCount"), count));
        }
        assert.equal(reads("eth_getBlockByNumber"), 5);
        assert.deepEqual(
          events.filter(({ kind }) => kind === "failing"),
          [],
        );
      });
    });

    it("waits for late receipts", async () => {
      const [id = 0] = await sent("late");
      node.receipts = "late";
      mine();
      assert.equal((await sender.outcome(id, 300)).state, "pending");
      node.receipts = "shown";
      mine();
      const recorded = await outcome(id);
      assert.equal(recorded.state === "confirmed" ? recorded.block.number : 0, 1);
    });

    it("rejects receipts with another block's hash", async () => {
      const [id = 0] = await sent("elsewhere");
      node.receipts = "elsewhere";
      mine();
      assert.equal((await sender.outcome(id, 300)).state, "pending");
      node.receipts = "shown";
      mine();
      const recorded = await outcome(id);
      assert.equal(recorded.state === "confirmed" ? hexlify(recorded.block.hash) : "", node.blocks[1]?.hash);
    });

    it("sends the same bytes again when they were lost, rejected for now, or never acknowledged", async () => {
      const tries = new Map<string, number>();
      node.onSend = (transaction, raw) => {
        const text = textOf(raw);
        const count = (tries.get(text) ?? 0) + 1;
        tries.set(text, count);
        if (count > 1) return undefined;
        if (text === "lost") return "lost";
        if (text === "full") return { code: -32000, message: "txpool is full" };
        if (text === "poor") return { code: -32000, message: "insufficient funds for gas * price + value" };
        return { code: -32603, message: `something odd about ${transaction.nonce}` };
      };
      const ids = await sent("lost", "full", "poor", "odd");
      await eventually(async () => assert.equal(node.pool.size, 4));
      assert.lengthOf(new Set(node.sent), 4);
      mine();
      for (const id of ids) assert.equal((await outcome(id)).state, "confirmed");
    });

    it("continues after a crash with the same bytes, and confirms transactions mined meanwhile", async () => {
      const [mined = 0, lost = 0] = await sent("mined", "lost");
      const signed = [...node.sent];
      await sender.stop();
      node.pool.delete(1);
      node.mine();
      node.mine();
      startSender();
      assert.equal((await outcome(mined)).state, "confirmed");
      await sends(3);
      mine();
      assert.equal((await outcome(lost)).state, "confirmed");
      assert.deepEqual([...new Set(node.sent)].sort(), signed.sort());
      for (const raw of signed) assert.equal(node.mined(keccak256(raw)), 1);
    });

    describe("with fees", () => {
      const GWEI = 10n ** 9n;
      const prices = () => distinct().map((raw) => Transaction.from(raw).gasPrice);
      /** Refuses what is too cheap; anything else takes the place of what has its nonce. */
      const isUnderpriced = (transaction: Transaction) => {
        if ((transaction.gasPrice ?? 0n) < node.gasPrice) return { code: -32000, message: "transaction underpriced" };
        node.pool.delete(transaction.nonce);
        return undefined;
      };
      const versions = () =>
        journal.database.selectFrom("transaction_versions").selectAll().orderBy("number", "asc").execute();
      const restart = async () => {
        await sender.stop();
        startSender(undefined, 50);
      };

      beforeEach(async () => {
        await restart();
        node.gasPrice = GWEI;
        node.onSend = isUnderpriced;
      });

      /** A transaction that was sent before the price rose tenfold, and what replaced it. */
      const replaced = async (): Promise<number> => {
        const [id = 0] = await sent("dear");
        node.gasPrice = 10n * GWEI;
        node.pool.clear();
        await receives(2);
        return id;
      };

      it("replaces a transaction whose price has become too low, with its nonce, and both on disk", async () => {
        const id = await replaced();
        assert.deepEqual(prices(), [GWEI, 10n * GWEI]);
        assert.deepEqual(
          distinct().map((raw) => Transaction.from(raw).nonce),
          [0, 0],
        );
        assert.deepEqual(sentTexts(), ["dear", "dear"]);
        assert.deepEqual(
          (await versions()).map(({ transaction_id, raw }) => [transaction_id, hexlify(raw)]),
          distinct().map((raw) => [id, raw]),
        );
        mine();
        const recorded = await outcome(id);
        assert.equal(recorded.state === "confirmed" && hexlify(recorded.hash), keccak256(distinct()[1] ?? ""));
        assert.include(JSON.stringify(events), '"replaced"');
      });

      it("takes whichever version is mined as the outcome", async () => {
        const id = await replaced();
        const [first = ""] = distinct();
        node.pool.set(0, Transaction.from(first));
        mine();
        const recorded = await outcome(id);
        assert.equal(recorded.state === "confirmed" && hexlify(recorded.hash), keccak256(first));
        assert.equal(hexlify((await row(id)).raw ?? ""), first);
      });

      it("continues after a crash between the replacement on disk and its sending", async () => {
        const [id = 0] = await sent("dear");
        node.gasPrice = 10n * GWEI;
        node.pool.clear();
        node.onSend = (transaction) => (transaction.gasPrice === GWEI ? isUnderpriced(transaction) : "lost");
        await eventually(async () => assert.lengthOf(await versions(), 2));
        await sender.stop();
        // The first version is mined while the sender is away.
        node.pool.set(0, Transaction.from(distinct()[0] ?? ""));
        node.mine();
        startSender(undefined, 50);
        assert.equal((await outcome(id)).state, "confirmed");
        const [next = 0] = await sent("next");
        assert.equal((await row(next)).nonce, 1);
      });

      it("signs again what the account cannot pay when the chain asks for less", async () => {
        node.onSend = ({ gasPrice }) =>
          gasPrice === 0n ? undefined : { code: -32000, message: "insufficient funds for gas * price + value" };
        const [id = 0] = await sent("poor");
        node.gasPrice = 0n;
        await receives(2);
        assert.deepEqual(prices(), [GWEI, 0n]);
        mine();
        assert.equal((await outcome(id)).state, "confirmed");
      });

      it("signs nothing while the chain asks for more than MAX_FEE", async () => {
        node.gasPrice = 1_000n * GWEI;
        await sender.stop();
        startSender(undefined, 50);
        const id = await intend("waits");
        sender.wake();
        assert.equal((await sender.outcome(id, 300)).state, "pending");
        assert.equal((await row(id)).state, "queued");
        node.gasPrice = GWEI;
        await receives(1);
        mine();
        assert.equal((await outcome(id)).state, "confirmed");
      });
    });

    it("starts after the highest nonce, the chain's or its own", async () => {
      node.nonce = 7;
      const [first = 0] = await sent("first");
      assert.equal((await row(first)).nonce, 7);
      mine();
      await outcome(first);
      await sender.stop();
      // A lagging node.
      node.nonce = 3;
      startSender();
      const [second = 0] = await sent("second");
      assert.equal((await row(second)).nonce, 8);
    });

    it("counts by the nonces that are signed, whatever the rows have", async () => {
      const ids = await sent("one", "two", "three");
      await sender.stop();
      node.pool.clear();
      const [first = 0, second = 0, third = 0] = ids;
      const renumber = (id: number, nonce: number | null) =>
        journal.database.updateTable("transactions").set({ nonce }).where("id", "=", id).execute();
      // The first two change places by way of none, and the third has one that is far too high.
      await renumber(first, null);
      await renumber(second, 0);
      await renumber(first, 1);
      await renumber(third, 1_000);
      startSender();
      await sends(6);
      const [next = 0] = await sent("next");
      mine();
      for (const id of [...ids, next]) assert.equal((await outcome(id)).state, "confirmed");
      assert.equal((await row(next)).nonce, 3);
    });

    /** Returns a call that another key has signed. */
    const signedElsewhere = async (nonce: number): Promise<Uint8Array> =>
      getBytes(
        await new Wallet(`0x${"66".repeat(32)}`).signTransaction({
          ...{ chainId: FakeNode.CHAIN_ID, nonce, to: `0x${"22".repeat(20)}`, data: "0xdeadbeef", gasLimit: 50_000 },
          ...{ gasPrice: 1_000n, type: 0 },
        }),
      );

    // Security, database: cannot have the relayer sign another call by putting it beside a signed one
    it("signs no bytes again that its key has not signed", async () => {
      node.onSend = () => ({ code: -32000, message: "insufficient funds for gas * price + value" });
      node.gasPrice = 10n;
      const id = await intend("own");
      sender.wake();
      await receives(1);
      await sender.stop();
      const foreign = await signedElsewhere(0);
      const own = await row(id);
      const version = (raw: Uint8Array) => ({ transaction_id: id, raw, hash: getBytes(keccak256(raw)) });
      await journal.database
        .insertInto("transaction_versions")
        .values([version(own.raw ?? new Uint8Array()), version(foreign)])
        .execute();
      startSender(undefined, 50);
      // The chain asks for less now: what the account could not pay is signed again.
      node.gasPrice = 1n;
      await eventually(async () => assert.isAtLeast(distinct().length, 2));
      for (const raw of distinct()) assert.equal(textOf(raw), "own");
    });

    // Security, database: cannot move the next nonce by a row that the relayer has not signed
    it("takes no nonce from a row that its key has not signed", async () => {
      const [first = 0] = await sent("first");
      await sender.stop();
      const invented = {
        purpose: "anchor" as const,
        to_address: sender.address,
        state: "sent" as const,
        created_at: 1,
      };
      const raw = await signedElsewhere(1_000_000);
      await journal.database
        .insertInto("transactions")
        .values({ ...invented, sender: sender.address, nonce: 1_000_000, raw, hash: getBytes(keccak256(raw)) })
        .execute();
      startSender();
      const [second = 0] = await sent("second");
      // The invented row is sent as well.
      await eventually(async () => assert.include(sentTexts(), "second"));
      mine();
      for (const id of [first, second]) assert.equal((await outcome(id)).state, "confirmed");
      assert.equal((await row(second)).nonce, 1);
    });

    it("withdraws unsigned transactions only", async () => {
      await sender.stop();
      const id = await intend("cancelled");
      const other = await intend("sent");
      assert.isTrue(await sender.cancel(id));
      assert.isFalse(await sender.cancel(id));
      startSender();
      await sends(1);
      assert.deepEqual(sentTexts(), ["sent"]);
      assert.isFalse(await sender.cancel(other));
      assert.deepEqual(await now(id), { state: "cancelled" });
    });

    it("limits the transactions in flight, and sends all", async () => {
      const ids: number[] = [];
      for (let n = 0; n < 700; n += 1) ids.push(await intend(`load ${n}`));
      sender.wake();
      await receives(512);
      await new Promise((resolve) => setTimeout(resolve, 100));
      assert.isAtMost(distinct().length, 512);
      mine();
      await eventually(async () => assert.lengthOf(distinct(), 700));
      mine();
      for (const id of ids) assert.equal((await outcome(id)).state, "confirmed");
      assert.deepEqual(
        distinct()
          .map((raw) => Transaction.from(raw))
          .sort((a, b) => a.nonce - b.nonce)
          .map(({ data }) => Buffer.from(data.slice(2), "hex").toString()),
        ids.map((_, n) => `load ${n}`),
      );
    });

    it("releases all waiters when it stops", async () => {
      const [id = 0] = await sent("waiting");
      const waiting = sender.outcome(id, 60_000);
      await sender.stop();
      assert.deepEqual(await waiting, { state: "pending", sent: true });
    });
  });
