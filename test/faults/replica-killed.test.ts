import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { assert } from "chai";
import { MemoryJournal } from "../support/journal-source.ts";
import { type FolderReplica, folderReplica, JOURNAL } from "../support/test-replica.ts";
import { readAll } from "../support/segments.ts";

const WRITER = join(import.meta.dirname, "../support/replica-writer.ts");

describe("killed replication", () => {
  let replica: FolderReplica;
  beforeEach(async () => {
    replica = await folderReplica();
  });
  afterEach(() => replica.close());

  /** Lets two processes ship until some segments were written, and kills them wherever they are. */
  async function killAfter(segments: number): Promise<string> {
    let output = "";
    const writers = [1, 2].map(() =>
      spawn(process.execPath, [WRITER, replica.path, JOURNAL], { stdio: ["ignore", "pipe", "inherit"] }),
    );
    const exits = writers.map((writer) => once(writer, "exit"));
    await new Promise<void>((resolve) => {
      for (const { stdout } of writers) {
        stdout.setEncoding("utf8").on("data", (text: string) => {
          output += text;
          if (output.split("shipped").length > segments) resolve();
        });
      }
    });
    for (const writer of writers) writer.kill("SIGKILL");
    await Promise.all(exits);
    return output;
  }

  it("leaves complete segments, and continues after a restart", async () => {
    const { lineList: expected } = new MemoryJournal().grow(2_000);
    let before = 0;
    for (const segments of [1, 3, 8, 20, 5]) {
      const output = await killAfter(segments);
      assert.notMatch(output, /failing|diverged/);
      const lines = await readAll(replica.open());
      assert.deepEqual(lines, expected.slice(0, lines.length));
      assert.isAbove(lines.length, before);
      before = lines.length;
    }
  });
});
