import { renameSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { recordIndexStore } from "../../server/records/record-index.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { KEY, putKey } from "../support/journal-key.ts";
import { rowEntry } from "../support/row-entry.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const ROWS = 20_000;
const MANY_WILDCARDS = `*${"a*".repeat(120)}b*`;

describe("expensive queries of records", () => {
  let server: TestServer;
  let directory: string;
  let token: string;
  before(async () => {
    directory = await temporaryDirectory();
    await putKey(directory);
    server = await startServer({ SESSION_LIFETIME: "36000", QUERY_RATE: "1000000" }, { directory });
    token = await server.login();
    const database = await openSqlite(join(directory, "sealbook.sqlite"));
    const store = recordIndexStore(database, KEY, "events");
    const { blockNumber, blockHash } = (await store.progress()) ?? assert.fail("nothing is indexed");
    const content = { sender: "0x", code: "c", topic: "a".repeat(256), createdAt: "", payload: "" };
    const rows = Array.from({ length: ROWS }, (_, row) => rowEntry({ rowId: BigInt(row), ...content }));
    await store.apply({ entries: rows, after: blockNumber, to: blockNumber, hash: blockHash, head: blockNumber });
    await database.destroy();
  });
  after(async () => {
    await server.stop("keep");
    await removeDirectory(directory);
  });

  const search = (value: string) => server.call(ROUTES.search, { token }, { search: { target: "2", value } });

  // Security, network: cannot block the server with a search
  it("with many wildcards take a time that is linear in the text, with other requests in between", async () => {
    let isOver = false;
    const searching = search(MANY_WILDCARDS).finally(() => (isOver = true));
    let served = 0;
    while (!isOver) {
      assert.equal((await server.get("/livez")).status, 200);
      served += 1;
    }
    assert.isEmpty((await searching).body.content.tparams.events);
    assert.isAtLeast(served, 3);
  });

  // Security, network: cannot keep the searches of others waiting
  it("keep no other account waiting: the accounts take turns", async () => {
    const other = (await server.context.accounts?.create("read")) ?? assert.fail("there is no administration");
    const otherToken = await server.login(other);
    const searchAs = (asToken: string) =>
      server.call(ROUTES.search, { token: asToken }, { search: { target: "2", value: MANY_WILDCARDS } });
    const ofOthers: number[] = [];
    let isOver = false;
    const flood = async (): Promise<void> => {
      while (!isOver) ofOthers.push((await searchAs(token)).status);
    };
    const floods = Array.from({ length: 50 }, flood);
    // Their queue has its full length when the first of them is refused or done.
    await Promise.race(floods.map(() => searchAs(token)));
    const start = ofOthers.length;
    for (let turn = 0; turn < 3; turn += 1) assert.equal((await searchAs(otherToken)).status, 200);
    const meanwhile = ofOthers.slice(start);
    isOver = true;
    await Promise.all(floods);
    // In one queue, each of the three would have waited for fifty.
    assert.isBelow(meanwhile.filter((status) => status === 200).length, 50);
    assert.sameMembers([...new Set(ofOthers)], [200, 429]);
  });

  it("use only the database that the server writes: without it they are refused, and go on with it", async () => {
    const file = join(server.directory, "sealbook.sqlite");
    assert.equal((await search("*b*")).status, 200);
    renameSync(file, `${file}.moved`);
    const { status, body } = await search("*b*");
    renameSync(`${file}.moved`, file);
    assert.deepEqual([status, body.content.error.code], [503, "journal_unavailable"]);
    assert.equal((await search("*b*")).status, 200);
  });
});

describe("many queries of records", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ QUERY_RATE: "10" });
  });
  after(() => server.stop());

  it("have a rate for each account", async () => {
    const token = await server.login();
    const statuses: number[] = [];
    for (let search = 0; search < 15; search += 1) {
      const query = { search: { target: "2", value: "nothing" } };
      statuses.push((await server.call(ROUTES.search, { token }, query)).status);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), ...Array.from({ length: 5 }, () => 429)]);
  });
});
