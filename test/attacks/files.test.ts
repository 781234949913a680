import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { startServer } from "../support/server.ts";

describe("another user of the machine", () => {
  // Security, machine: cannot read a file of the database or of its locks, whatever the folder's mode
  it("reads no file of the database or of the locks, whatever the folder's mode", async () => {
    const directory = await temporaryDirectory();
    const before = process.umask(0o000);
    try {
      await chmod(directory, 0o755);
      /** The files that others may read or write. */
      const open = async (): Promise<string[]> => {
        const names = (await readdir(directory)).filter((name) => /\.sqlite(-\w+)?$|\.pid$/.test(name));
        assert.includeMembers(names, ["sealbook.sqlite", "sealbook.sqlite-wal", "sealbook.sqlite-shm", "lock.sqlite"]);
        const modes = await Promise.all(names.map(async (name) => (await stat(join(directory, name))).mode));
        return names.filter((_, index) => ((modes[index] ?? 0) & 0o077) !== 0);
      };
      const server = await startServer({}, { directory });
      assert.isEmpty(await open());
      await server.stop("keep");
      for (const name of await readdir(directory)) {
        if (/^(sealbook|lock)\.(sqlite|pid)$/.test(name)) await chmod(join(directory, name), 0o666);
      }
      const again = await startServer({}, { directory });
      assert.isEmpty(await open(), "files of an earlier start are made private");
      await again.stop("keep");
    } finally {
      process.umask(before);
      await removeDirectory(directory);
    }
  });
});
