import { mock } from "node:test";
import { assert } from "chai";
import { LostTransactions } from "../../../server/chain/lost-transactions.ts";
import type { AddressState } from "../../../server/domain/ports.ts";

const KEY = "0xkey";

describe("a chain that knows fewer nonces than were settled", () => {
  let reopened: number[];
  let addresses: AddressState[] | undefined;
  let lost: LostTransactions;
  beforeEach(() => {
    mock.timers.enable({ apis: ["Date"], now: 1_000_000 });
    reopened = [];
    addresses = undefined;
    lost = new LostTransactions({
      rpc: { call: async () => "0x3", addresses: () => addresses ?? [] },
      store: {
        reopen: async (_, from) => {
          reopened.push(from);
          return [];
        },
        settledNonces: async () => [],
        outcome: async () => ({ state: "pending", sent: true }),
      },
      takeOverMilliseconds: 60_000,
      onEvent: () => assert.fail("nothing was lost"),
    });
  });
  afterEach(() => mock.timers.reset());

  /** Looks now, and again when a node that only lags would have caught up. */
  const look = async (): Promise<void> => {
    await lost.reopen(KEY, 5);
    mock.timers.tick(13_000);
    await lost.reopen(KEY, 5);
  };

  it("went back, when it still does after a while", async () => {
    await look();
    assert.deepEqual(reopened, [3]);
  });

  it("did not, when the node that tells it is known to be behind the others", async () => {
    const at = (address: string, active: boolean, reachable: boolean): AddressState => ({ address, active, reachable, blockNumber: 7, reason: undefined });
    addresses = [at("a", false, false), at("b", true, false)];
    await look();
    assert.deepEqual(reopened, []);
    addresses = [at("a", true, true), at("b", false, true)];
    await look();
    assert.deepEqual(reopened, [3]);
  });
});
