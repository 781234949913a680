import { assert } from "chai";
import { validatorSetStore } from "../../../server/journal/contract-store.ts";
import { JournalKey } from "../../../server/journal/integrity/journal-key.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";

for (const engine of ENGINES)
  describe(`the validators on disk, on ${engine}`, () => {
    let open: TestDatabase;
    before(async () => {
      open = await openTestDatabase(engine);
    });
    after(() => open.close());
    const set = (fromBlock: number) => ({ fromBlock, validators: [`0x${"1a".repeat(20)}`, `0x${"2b".repeat(20)}`] });

    // Security, database: cannot have a block accepted by validators that no relayer has written
    it("are those that a relayer has written, each once", async () => {
      const store = validatorSetStore(open.database, KEY);
      for (const fromBlock of [7, 0, 7]) await store.add(set(fromBlock));
      await validatorSetStore(open.database, JournalKey.generate()).add(set(3));
      await open.database
        .insertInto("validator_sets")
        .columns(["from_block", "validators", "code"])
        .expression((e) =>
          e
            .selectFrom("validator_sets")
            .select((r) => [r.lit(5).as("from_block"), "validators", "code"])
            .where("from_block", "=", 7),
        )
        .execute();
      assert.deepEqual(await store.read(), [set(0), set(7)]);
    });
  });
