import { mock } from "node:test";
import { assert } from "chai";
import { RollbackDetector } from "../../../../server/chain/transactions/rollback-detector.ts";
import type { AddressState } from "../../../../server/chain/rpc/rpc.ts";

const KEY = "0xkey";

describe("a chain with fewer nonces than recorded", () => {
  let reopened: number[];
  let addresses: AddressState[] | undefined;
  let lost: RollbackDetector;
  beforeEach(() => {
    mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
    reopened = [];
    addresses = undefined;
    lost = new RollbackDetector({
      rpc: { call: async () => "0x3", addresses: () => addresses ?? [] },
      store: {
        reopen: async (_, from) => {
          reopened.push(from);
          return [];
        },
        minedNonces: async () => [],
        outcome: async () => ({ state: "pending", sent: true }),
      },
      takeOverMilliseconds: 60_000,
      onEvent: () => assert.fail("nothing was lost"),
    });
  });
  afterEach(() => mock.timers.reset());

  const look = async (): Promise<void> => {
    const known = await lost.remainingOf(KEY, 5);
    if (known !== undefined) await lost.reopen(KEY, known);
  };
  /** Looks now, and again when a node that only lags would have caught up. */
  const lookTwice = async (): Promise<void> => {
    await look();
    mock.timers.tick(13_000);
    await look();
  };

  it("is rolled back when the difference persists", async () => {
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
