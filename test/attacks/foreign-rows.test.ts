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
import { signRowFor } from "../support/signed-row.ts";

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
  const signed = async (rowId: bigint, code: string, tableName = TABLE): Promise<SignedRow> => {
    const text = encodeRowData({
      rowId,
      sender: accomplice.address,
      code,
      createdAt: new Date(0),
      payload: { forged: true },
      topic: "t",
    });
    const rowdata = Buffer.from(text);
    const placed = [tableName, rowId, rowdata, false] as const;
    const signature = await signRowFor(server.chainUrl, await table.getAddress(), accomplice, placed);
    return { rowdata: hexlify(rowdata), comp: false, signature };
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
  const alert = async (): Promise<string> => {
    const { alerts } = (await server.get("/api/v1/alerts")).body;
    return alerts.find((each: ParsedJson) => each.alert === "foreign_writes")?.message;
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
      assert.deepEqual(marks, [{ event: 1, overwritten_by: hash }]);
    });
    const { record } = await decode("insert", TABLE, rowId, genuine);
    assert.include(record, { verdict: "original", overwritten_by: hash, chainid: Number(rowId) });
    await eventually(async () => assert.match(await alert(), new RegExp(`^1 rows .* by transaction ${hash}`)));
    const second = await store("mine too");
    const foreign = await signed(second, "x");
    const [tableName, noRecord] = [TABLE, Buffer.from("no record")];
    const placed = [tableName, second, noRecord, false] as const;
    const signature = await signRowFor(server.chainUrl, await table.getAddress(), accomplice, placed);
    await write("set", TABLE, second, { ...foreign, rowdata: hexlify(noRecord), signature });
    await eventually(async () => {
      const mark = (await search("mine too")).marks?.[0];
      assert.isString(mark?.overwritten_by, "also by what is no record");
      assert.match(await alert(), /^2 rows in the table of this server are by other transactions/);
    });
  });

  // Security, relayer key: cannot write a signed row under another row id, in another table or in another contract
  it("with signatures from elsewhere are refused by the contract", async () => {
    const rowId = await store("replayed");
    const genuine = await rowOf(rowId);
    const upper = { ...genuine, signature: `0x${genuine.signature.slice(2).toUpperCase()}` };
    for (const [name, place, row] of [
      [TABLE, 5_000n, genuine],
      ["another", rowId, upper],
      [TABLE, 6_000n, await signed(6_000n, "from another table", "another")],
    ] as const) {
      const { rowdata, comp, signature } = row;
      const error: unknown = await table
        .getFunction("set")
        .staticCall(name, place, rowdata, comp, signature)
        .catch((reason: unknown) => reason);
      assert.instanceOf(error, Error);
      const { data } = error as Error & { data?: string };
      assert.equal(INTERFACES.EventTable.parseError(data ?? "0x")?.name, "SignerNotEnrolled", name);
      const { record, checks } = await decode("set", name, place, row);
      assert.equal(checks.passed, false);
      assert.equal(record?.verdict, row === genuine || row === upper ? "replay" : undefined);
    }
    const { record, checks } = await decode("insert", TABLE, rowId, genuine);
    assert.deepEqual([record.verdict, checks.passed, checks.binding], ["original", true, "place"]);
  });

  it("are the original in the call that wrote them, and a replay in one of the other function", async () => {
    const rowId = await store("by insert");
    const stored = await rowOf(rowId);
    await write("set", TABLE, 4_000n, await signed(4_000n, "by set"));
    await eventually(async () => assert.lengthOf((await search("by set")).events, 1));
    const written = await rowOf(4_000n);
    const verdictOf = async (name: "set" | "insert", place: bigint, row: SignedRow): Promise<unknown> =>
      (await decode(name, TABLE, place, row)).record?.verdict;
    assert.deepEqual(
      [await verdictOf("insert", rowId, stored), await verdictOf("set", rowId, stored)],
      ["original", "replay"],
    );
    const upper = { ...stored, signature: `0x${stored.signature.slice(2).toUpperCase()}` };
    assert.equal(await verdictOf("insert", rowId, upper), "replay", "no transaction has these call data");
    assert.deepEqual(
      [await verdictOf("set", 4_000n, written), await verdictOf("insert", 4_000n, written)],
      ["original", "replay"],
    );
  });

  // Security, relayer key: cannot write a record again in its own place undetected
  it("in their own place again change nothing, and count in the alert", async () => {
    const rowId = await store("again");
    const genuine = await rowOf(rowId);
    const before = Number.parseInt(await alert(), 10);
    const again = await write("set", TABLE, rowId, genuine);
    await eventually(async () => assert.equal(Number.parseInt(await alert(), 10), before + 1));
    const { marks, events } = await search("again");
    assert.lengthOf(events, 1);
    assert.isUndefined(marks);
    const { body } = await server.get(`/explorer/api/transactions/${again}`);
    assert.include(body.action.record, { verdict: "replay", table: TABLE, chainid: Number(rowId) });
  });

  // Security, relayer key: cannot write an old version of a row again undetected
  it("with an old version again mark the newer version, which stays in the search", async () => {
    const rowId = 7_000n;
    const [older, newer] = [await signed(rowId, "older"), await signed(rowId, "newer")];
    const original = await write("set", TABLE, rowId, older);
    await write("set", TABLE, rowId, newer);
    const replay = await write("set", TABLE, rowId, older);
    await eventually(async () => {
      assert.isUndefined((await search("older")).marks);
      assert.deepEqual((await search("newer")).marks, [{ event: 0, overwritten_by: replay }]);
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
