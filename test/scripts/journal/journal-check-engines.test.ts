import { assert } from "chai";
import { sql } from "kysely";
import { findingText } from "../../../server/journal/check/finding.ts";
import { checkJournal, type CheckResult } from "../../../scripts/journal/journal-check.ts";
import { besideWrites } from "../../support/beside-writes.ts";
import { ENGINES } from "../../support/database.ts";
import type { JournalWriter } from "../../support/journal-writer.ts";
import { type JournalCopy, prepareJournal, type PreparedJournal } from "../../support/prepared-journal.ts";
import { KEY } from "../../support/journal-key.ts";

for (const engine of ENGINES)
  describe(`the check of the journal, on ${engine}`, function () {
    let prepared: PreparedJournal;
    let opened: JournalCopy;
    let writer: JournalWriter;
    before(async () => (prepared = await prepareJournal(engine, (first) => first.everything())));
    beforeEach(async () => {
      opened = await prepared.copy();
      writer = opened.writer;
    });
    afterEach(() => opened.close());
    after(() => prepared.close());

    const check = async (): Promise<{ texts: string[]; result: CheckResult }> => {
      const texts: string[] = [];
      const result = await checkJournal({
        database: opened.database,
        key: KEY,
        onFinding: (finding) => void texts.push(findingText(finding)),
      });
      return { texts, result };
    };

    it("finds nothing in an honest journal", async () => {
      assert.deepEqual((await check()).texts, []);
      for (let n = 0; n < 3; n += 1) await writer.confirmed(1000);
      const { texts, result } = await check();
      assert.deepEqual(texts, []);
      assert.equal(result.to, 3031);
    });

    it("finds nothing during concurrent writes", async () => {
      let batches = 0;
      const write = async (): Promise<void> => {
        const { anchorId, proofs } = await writer.open(1 + (batches % 50));
        await writer.recordOutcome(await writer.close(anchorId, proofs), batches % 7 === 6 ? "reverted" : "confirmed");
        batches += 1;
      };
      for (let n = 0; n < 8; n += 1) assert.deepEqual((await besideWrites(write, check)).texts, []);
    });

    it("names what was changed", async () => {
      const { database } = opened;
      const index = sql.table(engine === "sqlite" ? "proof_index_recent" : "proof_index");
      await sql`delete from ${index} where sequence = 4`.execute(database);
      await database.updateTable("anchors").set({ size: 4 }).where("id", "=", 1).execute();
      await database
        .updateTable("entries")
        .set({ digest: Buffer.alloc(32, 7) })
        .where("last_sequence", "=", 28)
        .execute();
      const { texts } = await check();
      assert.includeMembers(texts, [
        "entry 4: it cannot be found by its hash",
        "anchor 1 (entry 7): it is not as a relayer has written it",
        "the entries 27 to 28 of the journal were not written by a relayer, or were changed",
      ]);
    });
  });
