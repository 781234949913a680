import { mock } from "node:test";
import { assert } from "chai";
import { RollbackDetector } from "../../../../server/chain/transactions/rollback-detector.ts";
import type { VerifiedHeader } from "../../../../server/chain/evidence/verified-block.ts";
import type { AddressState } from "../../../../server/chain/rpc/rpc.ts";
import { headerOf } from "../../../support/verified-block.ts";

const KEY = "0xkey";

describe("a chain with fewer nonces than recorded", () => {
  let reopened: number[];
  let addresses: AddressState[] | undefined;
  let lost: RollbackDetector;
  /** The header that the node has in block 7. */
  let header: VerifiedHeader | undefined;
  let now: number;
  beforeEach(() => {
    header = undefined;
    now = 1_000_000;
    mock.method(performance, "now", () => now);
    reopened = [];
    addresses = undefined;
    lost = new RollbackDetector({
      chain: { header: async () => header },
      rpc: { call: async () => "0x3", addresses: () => addresses ?? [] },
      store: {
        reopen: async (_, from) => {
          reopened.push(from);
          return [];
        },
        minedNonces: async () => [],
        lastMined: async () => ({ nonce: 4, block: 7, blockHash: Buffer.alloc(32, 7) }),
        outcome: async () => ({ state: "pending", sent: true }),
      },
      onEvent: () => assert.fail("nothing was lost"),
    });
  });
  afterEach(() => mock.restoreAll());

  const look = async (): Promise<void> => {
    const known = await lost.remainingOf(KEY, 5);
    if (known !== undefined) await lost.reopen(KEY, known);
  };
  /** Looks now, and again when a node that only lags would have caught up. */
  const lookTwice = async (): Promise<void> => {
    await look();
    now += 13_000;
    await look();
  };

  it("is rolled back when the difference persists", async () => {
    await lookTwice();
    assert.deepEqual(reopened, [3]);
  });

  it("is not rolled back when the node still has the block of a later nonce: its count is wrong", async () => {
    const reference = { number: 7, hash: Buffer.alloc(32, 7), time: 70, validator: "v" };
    header = { ...headerOf(7), reference };
    await lookTwice();
    assert.deepEqual(reopened, []);
    header = { ...header, reference: { ...reference, hash: Buffer.alloc(32, 8) } };
    await lookTwice();
    assert.deepEqual(reopened, [3]);
  });

  it("is not rolled back when the responding node lags", async () => {
    const at = (address: string, active: boolean, reachable: boolean): AddressState => ({
      address,
      active,
      reachable,
      blockNumber: 7,
      reason: undefined,
    });
    addresses = [at("a", false, false), at("b", true, false)];
    await lookTwice();
    assert.deepEqual(reopened, []);
    addresses = [at("a", true, true), at("b", false, true)];
    await lookTwice();
    assert.deepEqual(reopened, [3]);
  });
});
