import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { bzip2 } from "../../server/records/bzip2.ts";
import { encodeCallData } from "../../server/records/call-data/call-data.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const ROWS = 20_000;
const MANY_WILDCARDS = `*${"a*".repeat(120)}b*`;

describe("expensive queries of records", () => {
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "36000", QUERY_RATE: "40" });
    token = await server.login();
    const database = new DatabaseSync(join(server.directory, "sealbook.sqlite"));
    const insert = database.prepare(
      `insert into records
         (table_id, row_id, digest, sender, code, topic, created_at, payload, transaction_hash, block_number)
       values (1, ?, randomblob(32), '0x', 'c', ?, '', '', zeroblob(32), 1)`,
    );
    database.exec("begin immediate");
    for (let row = 0; row < ROWS; row += 1) insert.run(`x${row}`, "a".repeat(256));
    database.exec("commit");
    database.close();
  });
  after(() => server.stop());

  const search = (value: string) => server.call(ROUTES.search, { token }, { search: { target: "2", value } });
  /** Encodes call data of a row whose payload is this JSON text. */
  const callData = (payload: string): string => {
    const row = ["1", "0x", "c", "", Buffer.from(payload).toString("base64"), "t", "1"].join("|");
    const rowdata = bzip2.compress(Buffer.from(row));
    return encodeCallData("set", { tabname: "t", rowid: 1n, rowdata, comp: true, signature: "0x" });
  };
  const decode = (payload: string) =>
    server.call(ROUTES.decode, { token }, { function: "set", inputdata: callData(payload) });

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

  it("expand no more than a row can have", async () => {
    const bomb = `{"a":"${"a".repeat(5_000_000)}"}`;
    assert.isBelow(callData(bomb).length, 10_000);
    const { status, body, text } = await decode(bomb);
    assert.equal(status, 400);
    assert.include(body.msg, "the stream expands to more than 131072 bytes");
    assert.isBelow(text.length, 1_000);
    assert.isBelow((await decode(`{"a":"${"a".repeat(90_000)}"}`)).text.length, 400_000);
  });

  it("are refused with a reason for deep payloads, and the server goes on", async () => {
    for (const depth of [129, 20_000]) {
      const { status, body } = await decode(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`);
      assert.equal(status, 400);
      assert.include(body.msg, "is nested deeper than 128 levels");
    }
    assert.equal((await decode(`{"a":${"[".repeat(100)}${"]".repeat(100)}}`)).status, 200);
  });

  it("have a rate for each account", async () => {
    const statuses = await Promise.all(
      Array.from({ length: 45 }, () => search("nothing").then(({ status }) => status)),
    );
    assert.include(statuses, 429);
    assert.include(statuses, 200);
  });
});
