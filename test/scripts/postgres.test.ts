import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { assert } from "chai";
import { emptyDatabase } from "../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { EngineDatabase } from "../support/engine-database.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { ROUTES, startServer } from "../support/server.ts";

const run = promisify(execFile);

describe("scripts on PostgreSQL", function () {
  let directory: string;
  let database: EngineDatabase;
  before(async () => {
    directory = await temporaryDirectory();
    database = await emptyDatabase("postgres");
  });
  after(async () => {
    await removeDirectory(directory);
    await database.remove();
  });

  const script = async (name: string, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env["PATH"], DATA_DIR: directory, DATABASE_URL: database.url };
    return (await run(process.execPath, [SEALBOOK, name, ...args], { env })).stdout;
  };
  const start = () => startServer({ DATABASE_URL: database.url }, { directory });
  const copied = async () => (await database.query("select code from records")).map(({ code }) => code);

  it("list its accounts, and drop the record index, which is rebuilt", async () => {
    const server = await start();
    try {
      assert.include(await script("account", "list"), server.demo.login);
      const token = await server.login();
      content(await server.call(ROUTES.store, { token }, { code: "kept", topic: "t", payload: {} }), ROUTES.store);
    } finally {
      await server.stop("keep");
    }
    assert.deepEqual(await copied(), ["kept"]);
    await script("resync");
    assert.isEmpty(await copied());
    const again = await start();
    try {
      await eventually(async () => assert.deepEqual(await copied(), ["kept"]));
    } finally {
      await again.stop("keep");
    }
  });
});
