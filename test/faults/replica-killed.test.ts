import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { assert } from "chai";
import { openDatabase } from "../../server/journal/engine/database.ts";
import { appendResolution } from "../../server/journal/entries/entry-log.ts";
import { storedRows } from "../../server/journal/entries/journal-rows.ts";
import { emptyDatabase } from "../support/database.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { KEY } from "../support/journal-key.ts";
import { type FolderReplica, folderReplica, JOURNAL, readAll } from "../support/test-replica.ts";

const WRITER = join(import.meta.dirname, "../support/replica-writer.ts");
const ENTRIES = 1_000;

describe("killed replication", () => {
  let replica: FolderReplica;
  let journal: EngineDatabase;
  beforeEach(async () => {
    replica = await folderReplica();
    journal = await emptyDatabase("sqlite");
  });
  afterEach(async () => {
    await replica.close();
    await journal.remove();
  });

  /** Lets two processes replicate until some objects were stored, and kills them wherever they are. */
  async function killAfter(objects: number): Promise<string> {
    let output = "";
    const file = new URL(journal.url).pathname;
    const writers = [1, 2].map(() =>
      spawn(process.execPath, [WRITER, file, replica.path, JOURNAL], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const exits = writers.map((writer) => once(writer, "exit"));
    await new Promise<void>((resolve) => {
      for (const { stdout } of writers) {
        stdout.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          if (output.split("stored").length > objects) resolve();
        });
      }
    });
    for (const writer of writers) writer.kill("SIGKILL");
    await Promise.all(exits);
    return output;
  }

  it("leaves complete objects, and continues after a restart", async () => {
    const database = await openDatabase(journal.connect());
    await database.transaction().execute(async (transaction) => {
      for (let sequence = 1; sequence <= ENTRIES; sequence += 1)
        await appendResolution(transaction, KEY, { divergence: "", reason: "", resolved_at: sequence });
    });
    const expected = await Array.fromAsync(storedRows(database, 0, ENTRIES));
    await database.destroy();
    let before = 0;
    for (const objects of [1, 3, 8, 20, 5]) {
      const output = await killAfter(objects);
      assert.notMatch(output, /failing|diverged/);
      const rows = await readAll(replica.open());
      assert.deepEqual(
        rows.map(({ code }) => Buffer.from(code)),
        expected.slice(0, rows.length).map(({ code }) => Buffer.from(code)),
      );
      assert.isAbove(rows.length, before);
      before = rows.length;
    }
  });
});
