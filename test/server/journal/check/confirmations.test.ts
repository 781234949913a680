import { assert } from "chai";
import type { BlockReference } from "../../../../server/chain/block.ts";
import { readAnchorRows, type ReadConfirmation } from "../../../../server/journal/check/anchor-rows.ts";
import { ConfirmationCheck } from "../../../../server/journal/check/confirmations.ts";
import { findingText } from "../../../../server/journal/check/finding.ts";
import { Repairs } from "../../../../server/journal/check/repairs.ts";
import { readEntries } from "../../../../server/journal/entries/entry-source.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { JournalWriter } from "../../../support/journal-writer.ts";
import { KEY } from "../../../support/journal-key.ts";

const bytes = (value: number): Uint8Array => Buffer.alloc(32, value);

/** A check of one confirmation, against a chain that the test makes up. */
describe("the comparison of confirmations with the chain", function () {
  let opened: TestDatabase;
  let confirmation: ReadConfirmation;
  let block: BlockReference;
  let messages: string[];
  let check: ConfirmationCheck;
  /** The block that has the transaction, the hash of the block with the confirmed number, and the time. */
  let world: { mined: BlockReference | undefined; atNumber: Uint8Array | undefined; now: number };
  const results = {
    found: (finding: Parameters<typeof findingText>[0]) => void messages.push(findingText(finding)),
    agrees: () => undefined,
    isKnown: () => false,
    moved: () => void messages.push("moved"),
  };
  const compare = async (): Promise<string[]> => {
    messages = [];
    await check.compare([confirmation], results);
    return messages;
  };
  const pointer = async (): Promise<number | null | undefined> =>
    (await readAnchorRows(opened.database, [confirmation.row.id])).get(confirmation.row.id)?.confirmation;

  beforeEach(async () => {
    opened = await openTestDatabase();
    const { database } = opened;
    const { anchorId } = await new JournalWriter(database).confirmed(1);
    const [entry] = await readEntries(database, KEY, 1, 1);
    const row = (await readAnchorRows(database, [anchorId])).get(anchorId);
    if (entry?.kind !== "confirmation" || row === undefined) assert.fail();
    confirmation = { entry, row };
    const { block_number: number, block_hash: hash, block_time: time, validator } = entry;
    block = { number, hash, time, validator };
    world = { mined: block, atNumber: hash, now: 0 };
    const contract = entry.contract as `0x${string}`;
    const repairs = new Repairs({
      database,
      key: KEY,
      chain: { blockOf: async () => world.mined },
      onCorrected: (message) => void messages.push(message),
    });
    check = new ConfirmationCheck({
      database,
      key: KEY,
      chain: {
        anchorOf: async () => ({ contract, time, blockNumber: number, size: 0 }),
        anchoringBlock: async (at) =>
          world.mined?.number === at ? { block: world.mined, given: () => entry.hash } : undefined,
        blockHash: async () => world.atNumber,
      },
      repairs,
      clock: () => world.now,
    });
  });
  afterEach(() => opened.close());

  it("finds nothing while journal and chain match", async () => {
    assert.isEmpty(await compare());
  });

  it("waits for a lagging node to catch up, and finds it afterwards", async () => {
    Object.assign(world, { mined: undefined, atNumber: undefined });
    assert.isEmpty(await compare());
    world.now = 29_000;
    messages = [];
    await check.again(results);
    assert.isEmpty(messages);
    world.mined = block;
    await check.again(results);
    Object.assign(world, { mined: undefined, now: 40_000 });
    await check.again(results);
    assert.isEmpty(messages, "it lags anew");
    world.now = 71_000;
    await check.again(results);
    assert.match(String(messages[0]), /^entry 2 .*: the chain has no such block$/);
  });

  it("finds a replaced block without the transaction immediately", async () => {
    Object.assign(world, { mined: undefined, atNumber: bytes(8) });
    assert.match(String((await compare())[0]), /^entry 2 .*: the chain has no such block$/);
  });

  it("records the new block of a transaction", async () => {
    world.mined = { ...block, number: 900, hash: bytes(9) };
    assert.match(String((await compare())[0]), /^entry 2: transaction 0x.* is in block 900 now/);
    assert.equal(await pointer(), 3);
    assert.isEmpty(await compare(), "the entry is superseded");
  });

  it("leaves the relayer's transaction where it is when another one anchored first", async () => {
    await opened.database
      .updateTable("transactions")
      .set({ hash: bytes(7) })
      .execute();
    world.mined = { ...block, number: 900, hash: bytes(9) };
    assert.match(String((await compare())[0]), /^entry 2: transaction 0x.* is in block 900 now/);
    const row = await opened.database.selectFrom("transactions").select("block_number").executeTakeFirst();
    assert.equal(row?.block_number, block.number);
    assert.isEmpty(await compare(), "the entry is superseded");
  });

  it("has an anchor name its confirmation again", async () => {
    await opened.database.updateTable("anchors").set({ confirmation: null }).execute();
    assert.match(String((await compare())[0]), /^the journal had lost that anchor 1 is in block/);
    assert.equal(await pointer(), 2);
  });

  it("finds nothing while a transaction that was rolled back is sent again", async () => {
    await opened.database.updateTable("anchors").set({ confirmation: null }).execute();
    await opened.database.updateTable("transactions").set({ state: "sent" }).execute();
    world.mined = undefined;
    assert.isEmpty(await compare());
  });
});
