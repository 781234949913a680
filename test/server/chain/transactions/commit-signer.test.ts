import { assert } from "chai";
import { sql } from "kysely";
import { Transaction } from "ethers";
import { ownKey } from "../../../../server/chain/keys/relayer-key.ts";
import { VerifiedChain } from "../../../../server/chain/evidence/verified-chain.ts";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../../../server/chain/rpc/rpc.ts";
import { CommitSigner } from "../../../../server/chain/transactions/commit-signer.ts";
import { FeeSource } from "../../../../server/chain/transactions/fees.ts";
import { TransactionSender } from "../../../../server/chain/transactions/transaction-sender.ts";
import { transactionSigner } from "../../../../server/chain/transactions/transaction-signer.ts";
import { GroupCommit } from "../../../../server/journal/engine/group-commit.ts";
import { intentStore } from "../../../../server/journal/transactions/intent-store.ts";
import { transactionStore } from "../../../../server/journal/transactions/transaction-store.ts";
import type { Database } from "../../../../server/journal/engine/database.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { eventually } from "../../../support/eventually.ts";
import { FakeNode } from "../../../support/fake-node.ts";
import { FEES } from "../../../support/fees.ts";
import { KEY as JOURNAL_KEY } from "../../../support/journal-key.ts";
import { thrownBy } from "../../../support/thrown.ts";

const KEY = `0x${"5e".repeat(32)}`;
const CONTRACT = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: CONTRACT, EventTable: CONTRACT, ProofAnchor: CONTRACT };

for (const engine of ENGINES)
  describe(`calls that are signed in the commit that writes them, on ${engine}`, function () {
    let node: FakeNode;
    let rpc: Rpc;
    let journal: TestDatabase;
    let commits: GroupCommit;
    let commitSigner: CommitSigner;
    let sender: TransactionSender;

    const start = (isLocal = true): void => {
      const signer = transactionSigner({ ...ownKey(KEY), isLocal }, FakeNode.CHAIN_ID);
      const fees = new FeeSource(rpc, FEES);
      commitSigner = new CommitSigner(signer, fees);
      commits = new GroupCommit(journal.database, undefined, commitSigner);
      sender = new TransactionSender({
        chain: new VerifiedChain(rpc),
        verdictOn: async () => ({ confirms: undefined }),
        store: transactionStore(journal.database, JOURNAL_KEY),
        contracts: Object.values(ADDRESSES),
        signer,
        commitSigner,
        fees,
        foreignCallReason: () => undefined,
        recheckMilliseconds: 100,
        onEvent: () => undefined,
      });
      sender.start();
    };
    const refused = async (): Promise<never> => Promise.reject(new Error("refused"));
    /** @param further What its caller does in the same commit */
    const write = (text: string, further?: (transaction: Database) => Promise<unknown>): Promise<number> =>
      commits.run(async (transaction) => {
        const intents = intentStore(transaction, JOURNAL_KEY, ADDRESSES, commitSigner);
        const id = await intents.insert({ purpose: "anchor", contract: "ProofAnchor", data: Buffer.from(text) });
        await further?.(transaction);
        return id;
      });
    const rows = () =>
      journal.database.selectFrom("transactions").select(["id", "state", "nonce", "raw"]).orderBy("id").execute();
    const stateOf = async (id: number) => (await rows()).find((each) => each.id === id)?.state;
    /** Waits until calls are signed in their commits. */
    const ready = (): Promise<void> =>
      eventually(async () => {
        const id = await write("ready");
        sender.wake();
        assert.equal(await stateOf(id), "sent");
      });
    /** Checks that every call got to the node, with nonces from 0 without a gap, each once. */
    const assertAllSent = (): Promise<void> =>
      eventually(async () => {
        const all = await rows();
        const nonces = all.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b);
        assert.deepEqual(nonces, [...all.keys()]);
        const sent = new Set(node.sent.map((raw) => Transaction.from(raw).nonce));
        assert.sameMembers([...sent], nonces);
        for (const { nonce, raw } of all) assert.equal(Transaction.from(`0x${hexOf(raw)}`).nonce, nonce);
      });
    const hexOf = (raw: Uint8Array | null): string => Buffer.from(raw ?? []).toString("hex");

    beforeEach(async () => {
      node = await new FakeNode().start();
      rpc = connectRpc(node.url, FakeNode.CHAIN_ID);
      journal = await openTestDatabase(engine);
      start();
    });
    afterEach(async () => {
      const stopped = sender.stop();
      await node.stop();
      await stopped;
      rpc.close();
      await journal.close();
    });

    it("are on disk with nonce and bytes, and then sent", async () => {
      await ready();
      const ids = await Promise.all(["one", "two", "three"].map((text) => write(text)));
      for (const id of ids) assert.equal(await stateOf(id), "sent");
      await assertAllSent();
      for (const id of ids) assert.deepEqual(await sender.outcome(id, 0), { state: "pending", sent: true });
    });

    it("leave no nonce unused when another part of their commit fails", async () => {
      await ready();
      await Promise.all([
        write("one"),
        thrownBy(write("two", refused)),
        thrownBy(write("three", refused)),
        write("four"),
        thrownBy(write("five", refused)),
      ]);
      await write("six");
      await assertAllSent();
    });

    it("are read from the journal when nobody knows how their commit has ended", async () => {
      await ready();
      const before = (await rows()).length;
      // The commit itself finds no transaction any more, and fails.
      const ended = (transaction: Database) => sql`commit`.execute(transaction);
      const failures = await Promise.all([thrownBy(write("beside")), thrownBy(write("unanswered", ended))]);
      for (const failure of failures) assert.isDefined(failure);
      assert.lengthOf(await rows(), before + 2, "the calls are on disk");
      assert.isUndefined(commitSigner.next);
      await write("next");
      sender.wake();
      await assertAllSent();
    });

    it("use no nonce when their row is not written as it was", async () => {
      await ready();
      if (engine === "sqlite")
        await sql`create trigger ignored before update on transactions when new.state = 'sent'
          begin select raise(ignore); end`.execute(journal.database);
      else {
        await sql`create function ignored() returns trigger language plpgsql as 'begin return null; end'`.execute(
          journal.database,
        );
        await sql`create trigger ignored before update on transactions for each row execute function ignored()`.execute(
          journal.database,
        );
      }
      await assertAllSent();
      // A recheck can send some more than once.
      const distinct = (): number => new Set(node.sent).size;
      const before = distinct();
      assert.match(String(await thrownBy(write("one"))), /is not in the journal as it was written/);
      assert.isUndefined(commitSigner.next, "the journal is read before the next one is signed");
      await sql`drop trigger ignored ${engine === "sqlite" ? sql`` : sql`on transactions`}`.execute(journal.database);
      await write("two");
      sender.wake();
      await assertAllSent();
      assert.equal(distinct(), before + 1);
    });

    it("wait for the sender with a key in a remote signer", async () => {
      await sender.stop();
      start(false);
      const id = await write("one");
      assert.equal(await stateOf(id), "queued");
      sender.wake();
      await assertAllSent();
    });

    it("wait while others do, and take no nonce of theirs", async () => {
      await ready();
      commitSigner.forbid();
      await Promise.all(Array.from({ length: 40 }, (_, index) => write(`waiting ${index}`)));
      sender.wake();
      await Promise.all(Array.from({ length: 40 }, (_, index) => write(`more ${index}`)));
      sender.wake();
      await assertAllSent();
    });
  });
