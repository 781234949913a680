import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { Contract, getBytes, hexlify, id, JsonRpcProvider, type LogDescription, NonceManager, Wallet } from "ethers";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { encodeRowData } from "../../server/records/row-data.ts";
import { content } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

const RELAYER_ROLE = id("RELAYER_ROLE");
const TABLE = "events";
const LARGEST = 2n ** 53n - 1n;

interface SignedRow {
  readonly rowdata: string;
  readonly comp: boolean;
  readonly signature: string;
}

describe("rows that a stolen relayer key writes", function () {
  let server: TestServer;
  let provider: JsonRpcProvider;
  let token: string;
  let table: Contract;
  /** An account that is enrolled on chain, and signs what the thief wants. */
  let accomplice: Wallet;

  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "3600", CHAIN_PORT_SEND: "on" });
    const options = { staticNetwork: true, pollingInterval: 20, cacheTimeout: -1 };
    provider = new JsonRpcProvider(server.chainUrl, undefined, options);
    const keys = JSON.parse(readFileSync(join(server.directory, "keys.json"), "utf8"));
    const { contracts } = JSON.parse(readFileSync(join(server.directory, "deployments/7325.json"), "utf8"));
    const administrator = new NonceManager(new Wallet(keys.administrator, provider));
    const thief = Wallet.createRandom();
    accomplice = new Wallet(Wallet.createRandom().privateKey);
    const sent = { gasPrice: 0, type: 0 };
    const registry = new Contract(contracts.SessionRegistry, INTERFACES.SessionRegistry, administrator);
    const granted = new Contract(contracts.EventTable, INTERFACES.EventTable, administrator);
    await (await registry.getFunction("enroll").send(accomplice.address, 2, sent)).wait();
    await (await granted.getFunction("grantRole").send(RELAYER_ROLE, thief.address, sent)).wait();
    const signer = new NonceManager(new Wallet(thief.privateKey, provider));
    table = new Contract(contracts.EventTable, INTERFACES.EventTable, signer);
    token = await server.login();
  });
  after(async () => {
    provider.destroy();
    await server.stop();
  });

  /** @returns the hash of the mined transaction */
  const write = async (call: "set" | "insert", name: string, rowId: bigint, row: SignedRow): Promise<string> => {
    const { rowdata, comp, signature } = row;
    const response = await table
      .getFunction(call)
      .send(name, rowId, rowdata, comp, signature, { gasPrice: 0, type: 0 });
    await response.wait();
    return response.hash;
  };
  const signed = async (rowId: bigint, code: string): Promise<SignedRow> => {
    const text = encodeRowData({
      rowId,
      sender: accomplice.address,
      code,
      createdAt: new Date(0),
      payload: { forged: true },
      topic: "t",
    });
    const rowdata = Buffer.from(text);
    return { rowdata: hexlify(rowdata), comp: false, signature: await accomplice.signMessage(rowdata) };
  };
  const store = async (code: string): Promise<bigint> => {
    const payload = { code, topic: "t", payload: { value: 1 } };
    const response = await server.call(ROUTES.store, { token }, payload);
    return BigInt(content(response, ROUTES.store).chainid);
  };
  /** Returns the row as its account signed it. */
  const rowOf = async (rowId: bigint): Promise<SignedRow> => {
    const logs = await provider.getLogs({
      address: await table.getAddress(),
      topics: [
        INTERFACES.EventTable.getEvent("RowWritten").topicHash,
        id(TABLE),
        `0x${rowId.toString(16).padStart(64, "0")}`,
      ],
      fromBlock: 0,
    });
    const event: LogDescription | null | undefined = logs[0] && INTERFACES.EventTable.parseLog(logs[0]);
    const value = (name: string) => event?.args.getValue(name);
    return { rowdata: value("rowdata"), comp: value("comp"), signature: value("signature") };
  };
  const search = async (value: string): Promise<ParsedJson> => {
    const query = { search: { target: "1", value, locations: true } };
    return content(await server.call(ROUTES.search, { token }, query), ROUTES.search).tparams;
  };
  const decode = async (
    name: "set" | "insert",
    tableName: string,
    rowId: bigint,
    row: SignedRow,
  ): Promise<ParsedJson> => {
    const { rowdata, comp, signature } = row;
    const inputdata = INTERFACES.EventTable.encodeFunctionData(name as "set", [
      tableName,
      rowId,
      getBytes(rowdata),
      comp,
      signature,
    ]);
    return content(await server.call(ROUTES.decode, { token }, { function: name, inputdata }), ROUTES.decode).tparams;
  };
  const alert = async (subject: string): Promise<ParsedJson> => {
    const { alerts } = (await server.get("/api/v1/alerts")).body;
    return alerts.find((each: ParsedJson) => each.alert === "foreign_writes" && each.subject === subject);
  };

  // Security, relayer key: can write another signed row over a record; both are found, one marked, with an alert
  it("over a record leave it in the search, marked, and raise an alert", async () => {
    const rowId = await store("mine");
    const genuine = await rowOf(rowId);
    const hash = await write("set", TABLE, rowId, await signed(rowId, "mine"));
    await eventually(async () => {
      const { events, marks } = await search("mine");
      assert.deepEqual(
        events.map(([sender]: [string]) => sender),
        [accomplice.address, server.demo.login],
      );
      assert.deepEqual(marks, [{ event: 1, overwritten_by: hash, replays: 0, replayed_by: null }]);
    });
    const { record } = await decode("insert", TABLE, rowId, genuine);
    assert.include(record, { verdict: "original", overwritten_by: hash, chainid: Number(rowId) });
    await eventually(async () => assert.match((await alert("overwritten")).message, /^1 rows were written over/));
    const second = await store("mine too");
    await write("set", TABLE, second, await rowOf(rowId));
    await eventually(async () => {
      const [, mark] = [await alert("overwritten"), (await search("mine too")).marks?.[0]];
      assert.isString(mark?.overwritten_by, "also by what is no record");
      assert.match((await alert("overwritten")).message, /^2 rows were written over/);
    });
  });

  // Security, relayer key: cannot write a signed row under another row id or in another table without mark and alert
  it("with signatures from elsewhere are marked as replays: under another row id, and in another table", async () => {
    const rowId = await store("replayed");
    const genuine = await rowOf(rowId);
    const other = await write("set", TABLE, 5_000n, genuine);
    await eventually(async () =>
      assert.deepEqual((await search("replayed")).marks, [
        { event: 0, overwritten_by: null, replays: 1, replayed_by: other },
      ]),
    );
    const upper = { ...genuine, signature: `0x${genuine.signature.slice(2).toUpperCase()}` };
    const elsewhere = await write("insert", "another", rowId, upper);
    await eventually(async () => {
      const { marks, events } = await search("replayed");
      assert.lengthOf(events, 1);
      assert.deepEqual(marks, [{ event: 0, overwritten_by: null, replays: 2, replayed_by: elsewhere }]);
    });
    for (const [name, place] of [
      ["another", rowId],
      [TABLE, 5_000n],
    ] as const) {
      const { record } = await decode("set", name, place, genuine);
      assert.include(record, { verdict: "replay", table: TABLE, chainid: Number(rowId), replays: 2 });
    }
    assert.equal((await decode("insert", TABLE, rowId, genuine)).record.verdict, "original");
    const { body } = await server.get(`/explorer/api/transactions/${elsewhere}`);
    assert.include(body.action.record, { verdict: "replay", table: TABLE, chainid: Number(rowId) });
    await eventually(async () => assert.match((await alert("replayed")).message, /^3 signed rows were written again/));
  });

  // Security, relayer key: cannot bring a row here undetected that was signed for another table of the contract
  it("of another table first are marked when they come to this one", async () => {
    const rowId = 6_000n;
    const row = await signed(rowId, "from another table");
    const first = await write("insert", "another", rowId, row);
    await write("insert", TABLE, rowId, row);
    await eventually(async () =>
      assert.deepEqual((await search("from another table")).marks, [
        { event: 0, overwritten_by: null, replays: 1, replayed_by: first },
      ]),
    );
  });

  // Security, relayer key: cannot write an old version of a row again undetected
  it("with an old version again are marked, and the newer version stays in the search", async () => {
    const rowId = 7_000n;
    const [older, newer] = [await signed(rowId, "older"), await signed(rowId, "newer")];
    const original = await write("set", TABLE, rowId, older);
    await write("set", TABLE, rowId, newer);
    const replay = await write("set", TABLE, rowId, older);
    await eventually(async () => {
      assert.deepEqual((await search("older")).marks, [
        { event: 0, overwritten_by: null, replays: 1, replayed_by: replay },
      ]);
      assert.deepEqual((await search("newer")).marks, [
        { event: 0, overwritten_by: replay, replays: 0, replayed_by: null },
      ]);
    });
    const verdicts = await Promise.all(
      [original, replay].map(
        async (hash) => (await server.get(`/explorer/api/transactions/${hash}`)).body.action.record.verdict,
      ),
    );
    assert.deepEqual(verdicts, ["original", "replay"]);
  });

  // Security, relayer key: cannot keep records from being stored by taking row ids before the server
  it("on ids ahead, near and at the end of all numbers, keep no record from being stored", async () => {
    const next = (await store("before")) + 1n;
    const ahead = Array.from({ length: 40 }, (_, index) => next + BigInt(index));
    for (const rowId of [...ahead, LARGEST, LARGEST - 1n, 2n ** 200n])
      await write("insert", TABLE, rowId, await signed(rowId, "ahead"));
    const stored = [await store("after"), await store("after")];
    assert.deepEqual(stored, [next + 40n, next + 41n]);
    await eventually(async () => {
      const { locations } = await search("ahead");
      assert.lengthOf(locations, 43);
      assert.equal(locations[0].chainid, (2n ** 200n).toString());
    });
  });
});
