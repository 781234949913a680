import { assert } from "chai";
import { getBytes, keccak256, Wallet } from "ethers";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import { VerifiedChain } from "../../../../server/chain/evidence/verified-chain.ts";
import type { TransactionOutcome } from "../../../../server/chain/transaction.ts";
import { InFlightTransactions } from "../../../../server/chain/transactions/in-flight.ts";
import { OutcomeRecorder } from "../../../../server/chain/transactions/outcome-recorder.ts";
import { FakeNode } from "../../../support/fake-node.ts";
import { NO_NODE } from "../../../support/no-node.ts";
import { thrownBy } from "../../../support/thrown.ts";

const PENDING: TransactionOutcome = { state: "pending", sent: true };
const DONE: TransactionOutcome = { state: "cancelled" };
/** @param read Reads an outcome from disk */
const recorderOf = (read: (id: number) => Promise<TransactionOutcome>): OutcomeRecorder =>
  new OutcomeRecorder({
    store: { outcome: read, recordOutcomes: () => assert.fail("nothing is recorded") },
    chain: new VerifiedChain(NO_NODE),
    verdictOn: () => assert.fail("nothing is mined"),
    contracts: [],
    inFlight: new InFlightTransactions(),
    nonces: { written: (write) => write },
    onEvent: () => undefined,
  });

describe("who waits for an outcome", function () {
  it("gets one that is recorded during the first query", async () => {
    const { promise: looked, resolve: look } = Promise.withResolvers<TransactionOutcome>();
    let first = true;
    const slow = recorderOf((_id) => {
      if (!first) return Promise.resolve(DONE);
      first = false;
      return looked;
    });
    const waiting = slow.outcome(1, 60_000);
    slow.publish([[1, DONE]]);
    look(PENDING);
    assert.equal(await waiting, DONE);
  });

  it("gets one that is handed over, without another query", async () => {
    let queries = 0;
    const recorder = recorderOf(() => Promise.resolve(((queries += 1), PENDING)));
    const waiting = recorder.outcome(1, 60_000);
    await Promise.resolve();
    recorder.publish([
      [2, { state: "refused", reason: "of another one" }],
      [1, DONE],
    ]);
    assert.equal(await waiting, DONE);
    assert.equal(queries, 1);
  });

  it("gets the error of a failed query", async () => {
    const broken = recorderOf(() => Promise.reject(new Error("disk")));
    assert.match(String(await thrownBy(broken.outcome(1, 20))), /disk/);
  });
});

describe("outcomes in blocks", function () {
  const wallet = new Wallet(`0x${"5e".repeat(32)}`);
  let node: FakeNode;
  let recorder: OutcomeRecorder;
  let recorded: number[];
  let identified: number;
  /** Mines a transaction in flight. */
  let mineOwn: () => Promise<number>;
  let close: () => Promise<void>;
  beforeEach(async () => {
    node = await new FakeNode().start();
    const rpc = connectRpc(node.url, FakeNode.CHAIN_ID);
    const inFlight = new InFlightTransactions();
    recorded = [];
    identified = 0;
    recorder = new OutcomeRecorder({
      store: {
        outcome: () => assert.fail("nobody waits"),
        recordOutcomes: async (outcomes) => {
          recorded.push(...outcomes.map(({ id }) => id));
          return { confirmed: [], others: [] };
        },
      },
      chain: new VerifiedChain({
        chainId: rpc.chainId,
        call: (...parameters) => rpc.call(...parameters),
        identify: async () => void (identified += 1),
        close: () => undefined,
      }),
      verdictOn: async () => ({ confirms: undefined }),
      contracts: [],
      inFlight,
      nonces: { written: (write) => write },
      onEvent: () => undefined,
    });
    let nonce = 0;
    mineOwn = async () => {
      const fields = { type: 0, chainId: FakeNode.CHAIN_ID, to: wallet.address, gasPrice: 0n, gasLimit: 21_000, nonce };
      const raw = await wallet.signTransaction(fields);
      inFlight.add({ id: nonce, nonce, raw: getBytes(raw), hash: getBytes(keccak256(raw)) }, 0);
      nonce += 1;
      await rpc.call("eth_sendRawTransaction", [raw]);
      return node.mine();
    };
    close = async () => {
      rpc.close();
      await node.stop();
    };
  });
  afterEach(() => close());
  const read = (block: number) => recorder.recordBlocks(block, block, "whole blocks");

  it("are of the chain that was identified as long as the blocks follow one another", async () => {
    for (const times of [1, 1, 1]) {
      await read(await mineOwn());
      assert.equal(identified, times);
    }
    node.mine();
    await read(await mineOwn());
    assert.equal(identified, 2);
    assert.deepEqual(recorded, [0, 1, 2, 3]);
  });

  it("have the chain identified also after blocks that have brought nothing", async () => {
    await read(node.mine());
    assert.equal(identified, 0);
    await read(await mineOwn());
    assert.equal(identified, 1);
    await read(node.mine());
    await read(await mineOwn());
    assert.equal(identified, 1);
  });

  it("are not all known where headers only were read", async () => {
    const empty = node.mine();
    assert.deepEqual(await recorder.recordBlocks(empty, empty, "blocks with logs"), { last: empty, hasUnread: false });
    const own = await mineOwn();
    assert.deepEqual(await recorder.recordBlocks(own, own + 5, "blocks with logs"), { last: own, hasUnread: true });
    assert.deepEqual(await recorder.recordBlocks(own, own, "whole blocks"), { last: own, hasUnread: false });
    assert.deepEqual(recorded, [0]);
  });
});
