import { assert } from "chai";
import { EntryVerifier } from "../../../server/journal/entries/verified-entries.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";
import { JournalWriter } from "../../support/journal-writer.ts";

for (const engine of ENGINES) {
  describe(`a look-up of proofs, on ${engine}`, () => {
    let opened: TestDatabase;
    before(async () => {
      opened = await openTestDatabase(engine);
    });
    after(() => opened.close());

    it("has the whole outcome of an anchor that is confirmed meanwhile", async () => {
      const { database } = opened;
      const writer = new JournalWriter(database);
      const found: string[] = [];
      const onDamage = (_: string, message: string): void => void found.push(message);
      const verifier = new EntryVerifier({ database, key: KEY, onDamage });
      for (let turn = 0; turn < 30; turn += 1) {
        const { anchorId, proofs } = await writer.open(2);
        const transaction = await writer.close(anchorId, proofs);
        const hashes = proofs.map(({ recordHash }) => recordHash);
        const lookUp = () => writer.journal.proofs.byRecordHashes(hashes, verifier.begin());
        const states = async () => (await lookUp()).map(({ outcome }) => outcome.state);
        assert.deepEqual(await states(), ["pending", "pending"]);
        let isRecorded = false;
        const recorded = writer.recordOutcome(transaction).finally(() => (isRecorded = true));
        while (!isRecorded) await states();
        await recorded;
        assert.deepEqual(await states(), ["confirmed", "confirmed"]);
      }
      assert.isEmpty(found);
    });
  });
}
