import { assert } from "chai";
import { journalSource } from "../../../../server/journal/entries/entry-source.ts";
import { HeadFile } from "../../../../server/journal/integrity/head-file.ts";
import { JournalMemory } from "../../../../server/journal/integrity/memory.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";
import { KEY } from "../../../support/journal-key.ts";
import { JournalWriter } from "../../../support/journal-writer.ts";
import { thrownBy } from "../../../support/thrown.ts";

for (const engine of ENGINES)
  describe(`the entry that a checkpoint is over, on ${engine}`, () => {
    let opened: TestDatabase;
    let directory: string;
    before(async () => {
      opened = await openTestDatabase(engine);
      directory = await temporaryDirectory();
      await new JournalWriter(opened.database).confirmed(3);
    });
    after(async () => {
      await opened.close();
      await removeDirectory(directory);
    });

    it("is the newest one, as a relayer has written it", async () => {
      const entries = journalSource(opened.database, KEY);
      assert.deepEqual(await entries.ownHead(), await entries.head());
    });

    // Security, database: cannot make the relayer anchor another digest as a checkpoint
    it("is none when the digest of its row was changed", async () => {
      const { database } = opened;
      const { digest } = await journalSource(database, KEY).head();
      const change = (value: Uint8Array) =>
        database
          .updateTable("entries")
          .set({ digest: value })
          .where("digest", "=", value === digest ? OTHER : digest);
      await change(OTHER).execute();
      assert.match(String(await thrownBy(journalSource(database, KEY).ownHead())), /not written by a relayer/);
      await change(digest).execute();
    });

    it("is none in a journal that lacks what this process has seen", async () => {
      await new HeadFile(directory).write({ sequence: 99, digest: OTHER });
      const key = KEY.remembering(await JournalMemory.open(new HeadFile(directory)));
      const error = await thrownBy(journalSource(opened.database, key).ownHead());
      assert.propertyVal(error, "code", "journal_damaged");
      assert.match(String(error), /does not continue entry 99/);
    });
  });

const OTHER = new Uint8Array(32).fill(7);
