import { assert } from "chai";
import { createJournal } from "../../../server/composition/journal.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";
import { thrownBy } from "../../support/thrown.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

for (const engine of ENGINES)
  describe(`the newest checkpoint, on ${engine}`, () => {
    let open: TestDatabase;
    before(async () => {
      open = await openTestDatabase(engine);
    });
    after(() => open.close());

    // Security, database: cannot end the anchoring of checkpoints silently by an invented one
    it("is one that a relayer has written", async () => {
      const { anchors, intents } = createJournal(open.database, KEY, ADDRESSES);
      assert.isUndefined(await anchors.newestCheckpoint());
      const hash = Buffer.alloc(32, 1);
      const transactionId = await intents.insert({ purpose: "anchor", contract: "ProofAnchor", data: hash });
      await anchors.addCheckpoint({ sequence: 3, hash, transactionId, openedAt: 5 });
      assert.deepEqual(await anchors.newestCheckpoint(), { sequence: 3, openedAt: 5, confirmation: undefined });
      const invented = {
        first_sequence: 1,
        checkpoint: 9e15,
        hash: Buffer.alloc(32, 2),
        size: 0,
        transaction_id: transactionId,
      };
      await open.database
        .insertInto("anchors")
        .values({ ...invented, opened_at: 5 })
        .execute();
      assert.propertyVal(await thrownBy(anchors.newestCheckpoint()), "code", "journal_damaged");
    });
  });
