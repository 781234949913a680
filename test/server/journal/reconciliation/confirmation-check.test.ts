import type { AnchoringTransaction } from "../../../../server/journal/entries/confirmations.ts";
import { assert } from "chai";
import type { BlockReference } from "../../../../server/chain/block.ts";
import type { JournalEvents } from "../../../../server/journal/events.ts";
import type { Confirmation } from "../../../../server/journal/reconciliation/divergence.ts";
import { ConfirmationCheck } from "../../../../server/journal/reconciliation/confirmation-check.ts";
import { DivergenceTracker } from "../../../../server/journal/reconciliation/divergence-tracker.ts";

const bytes = (value: number): Uint8Array => Buffer.alloc(32, value);

/** A check of one confirmation in block 7, against a chain that the test makes up. */
function checkOf() {
  const block: BlockReference = { number: 7, hash: bytes(7), time: 70, validator: "v" };
  const hash = bytes(1);
  const confirmation: Confirmation = {
    sequence: 2,
    anchor: { id: 1, hash },
    isOwn: true,
    checkpoint: undefined,
    transactionId: 5,
    hash,
    size: 0,
    transactionHash: bytes(2),
    block,
  };
  const world = {
    now: 0,
    mined: undefined as BlockReference | undefined,
    seventh: undefined as Uint8Array | undefined,
    isGenuine: true,
  };
  const messages: string[] = [];
  const open = new Set<string>();
  const unused = (): never => assert.fail("not part of this check");
  const telemetry: JournalEvents = {
    journalFailing: unused,
    journalDiverged: (subject) => void messages.push(`diverged ${subject}`),
    divergenceResolved: (subject) => void messages.push(`agreed ${subject}`),
    divergenceAnnounced: () => undefined,
    journalCorrected: () => void messages.push("repaired"),
    replicaLagging: unused,
    replicaCaughtUp: unused,
    journalProbed: unused,
    storageFailing: unused,
    storageRestored: unused,
  };
  const store = {
    raise: async ({ subject }: { subject: string }) => !open.has(subject) && !!open.add(subject),
    resolutionsAfter: async () => [],
    resolve: async (subject: string) => open.delete(subject),
    divergences: async () => [...open].map((subject) => ({ subject, message: "", foundAt: 0 })),
    confirmations: async () => unused(),
    newestConfirmations: async () => [confirmation],
    isGenuine: async () => world.isGenuine,
    reconfirm: async (id: number, { block: { number } }: AnchoringTransaction) =>
      void messages.push(`confirmed ${id} in ${number}`),
  };
  const check = new ConfirmationCheck({
    store,
    chain: { address: `0x${"33".repeat(20)}`, blockOf: async () => world.mined, blockHash: async () => world.seventh },
    divergences: new DivergenceTracker(store, telemetry, () => world.now),
    clock: () => world.now,
  });
  return { check, world, messages, block };
}

describe("ConfirmationCheck", () => {
  it("reports nothing while journal and chain match", async () => {
    const { check, world, messages, block } = checkOf();
    world.mined = block;
    assert.isFalse(await check.newestChanged());
    assert.deepEqual(messages, []);
  });

  it("waits for a lagging node to catch up, and reports it afterwards", async () => {
    const { check, world, messages, block } = checkOf();
    assert.isFalse(await check.newestChanged());
    world.now = 29_000;
    assert.isFalse(await check.newestChanged());
    world.mined = block;
    assert.isFalse(await check.newestChanged());
    world.mined = undefined;
    world.now = 40_000;
    assert.isFalse(await check.newestChanged(), "it lags anew");
    world.now = 71_000;
    assert.isTrue(await check.newestChanged());
    assert.isFalse(await check.newestChanged(), "it is known");
    world.mined = block;
    await check.newestChanged();
    assert.deepEqual(messages, ["diverged confirmation 2", "agreed confirmation 2"]);
  });

  it("reports a replaced block without the transaction immediately", async () => {
    const { check, world, messages } = checkOf();
    world.seventh = bytes(8);
    assert.isTrue(await check.newestChanged());
    assert.deepEqual(messages, ["diverged confirmation 2"]);
  });

  it("records the new block of a transaction, unless the journal was changed", async () => {
    const { check, world, messages, block } = checkOf();
    world.mined = { ...block, number: 9, hash: bytes(9) };
    assert.isTrue(await check.newestChanged());
    assert.deepEqual(messages, ["confirmed 5 in 9", "repaired"]);
    world.isGenuine = false;
    assert.isTrue(await check.newestChanged());
    assert.deepEqual(messages.slice(2), ["diverged confirmation 2"]);
  });
});
