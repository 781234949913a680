import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { AbiCoder, Interface, Wallet, getAddress, getBytes, id as hashOf, keccak256, verifyMessage } from "ethers";
import { content, refused } from "../support/envelope.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";
import { callDataVectors } from "../vectors/calldata/vectors.ts";

type Event = [sender: string, code: string, createdAt: string, payload: string, topic: string];

const SIGNATURE = "function insert(string tabname, uint256 rowid, bytes rowdata, bool comp, string signature)";
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

describe("records", function () {
  let server: TestServer;
  let token: string;
  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "3600" });
    token = await server.login();
  });
  after(() => server.stop());

  const store = (code: string, topic = "t", payload: object = {}, by = token) =>
    server.call(ROUTES.store, { token: by }, { code, topic, payload });
  const stored = async (code: string, topic = "t", payload: object = {}, by = token) =>
    content(await store(code, topic, payload, by), ROUTES.store);
  const find = (search: object, by = token) => server.call(ROUTES.search, { token: by }, { search });
  const page = async (search: object): Promise<{ events: Event[]; next?: string }> => {
    const body = content(await find(search), ROUTES.search);
    assert.hasAllKeys(body, ["component_render", "tparams"]);
    assert.match(body.component_render, /^\d+(\.\d+)?$/);
    return body.tparams;
  };
  const codes = async (value: string): Promise<string[]> =>
    (await page({ target: "1", value })).events.map(([, code]) => code);
  const topics = async (value: string): Promise<string[]> =>
    (await page({ target: "2", value })).events.map((event) => event[4]);

  it("are stored with every documented field, and found unchanged", async () => {
    const payload = {
      payload: {
        sensorvalue: 12.5,
        sensordevice: "Sensor – Süd",
        enrichment: { position: { lng: 30.523333, lat: 50.450001 }, title: "Київ 🌍" },
        empty: {},
        list: [[], [1, [2, null]], true, false, "", " ", '"', "\\", "|", "%7C"],
        numbers: [0, -1, 1e-7, 5e-324, 123.456, 9007199254740991, -9007199254740991, 0.1],
      },
      "": "an empty key",
      "ключ|%": "\u0000\u001f\u2028",
    };
    const before = Math.floor(Date.now() / 1000) * 1000;
    const result = await stored("first|50% \u0007", "PM2.5: Повітря | 100%", payload);
    assert.hasAllKeys(result, ["chainid", "event", "notification", "result"]);
    assert.strictEqual(result.chainid, 1);
    assert.equal(result.event, "PM25Повітря100");
    assert.strictEqual(result.notification, false);
    assert.equal(result.result, "success");

    const { events } = await page({ target: "1", value: "first|50% \u0007" });
    assert.lengthOf(events, 1);
    const [event] = events as [Event];
    assert.lengthOf(event, 5);
    const [sender, code, createdAt, base64, topic] = event;
    assert.equal(sender, server.demo.login);
    assert.equal(code, "first|50% \u0007");
    assert.equal(topic, "PM2.5: Повітря | 100%");
    assert.match(createdAt, HTTP_DATE);
    assert.isAtLeast(Date.parse(createdAt), before);
    assert.isAtMost(Date.parse(createdAt), Date.now());
    assert.deepEqual(JSON.parse(Buffer.from(base64, "base64").toString("utf8")), payload);
  });

  it("keep an empty payload", async () => {
    await stored("empty payload", "t", {});
    const [event] = (await page({ target: "1", value: "empty payload" })).events;
    assert.equal(Buffer.from(event?.[3] ?? "", "base64").toString("utf8"), "{}");
  });

  it("are numbered consecutively", async () => {
    const one = await stored("numbered");
    const two = await stored("numbered");
    assert.equal(two.chainid, one.chainid + 1);
  });

  it("may have the same code and topic, and are listed newest first", async () => {
    for (let n = 0; n < 5; n += 1) await stored("twin", "same", { n });
    const { events } = await page({ target: "1", value: "twin" });
    const found = events.map((event) => JSON.parse(Buffer.from(event[3], "base64").toString()).n);
    assert.deepEqual(found, [4, 3, 2, 1, 0]);
    const dates = events.map((event) => Date.parse(event[2]));
    assert.deepEqual(
      dates,
      [...dates].sort((a, b) => b - a),
    );
  });

  describe("are searched", function () {
    const texts = [
      "alpha",
      "alphabet",
      "Alpha",
      "al*ha",
      "al\\*ha",
      "al%ha",
      "al_ha",
      "a|b",
      "a%7Cb",
      "a%257Cb",
      "a'b",
      'a"b',
      "50%",
      "ä",
      "a\u0308",
      "Ä",
      "日本語",
      "😀",
      "😀x",
      " lead",
      "lead ",
      "\\",
      "\\\\",
      "a\\",
      "*",
      "**",
      "line\nbreak",
      "\u{10FFFF}z",
      "[abc]",
      "a?c",
      "^",
      "a.c",
      "x\uFFFFy",
      "\uFFFFstart",
    ];
    const tag = "search: ";
    before(async () => {
      await Promise.all(texts.map((text) => stored(tag + text, text)));
    });
    const some = async (value: string): Promise<string[]> =>
      (await codes(tag + value)).map((code) => code.slice(tag.length)).sort();
    const byTopic = async (value: string): Promise<string[]> => [...new Set(await topics(value))].sort();

    it("by exactly their text", async () => {
      for (const text of texts) {
        // In the text \* the backslash is one, since the star is escaped by the one that is added.
        const value = text.replaceAll("*", "\\*");
        assert.deepEqual(await some(value), [text]);
        assert.include(await byTopic(value), text);
      }
    });

    it("with wildcards before, after and inside", async () => {
      assert.deepEqual(await some("alpha*"), ["alpha", "alphabet"]);
      assert.deepEqual(await some("*lpha"), ["Alpha", "alpha"]);
      assert.deepEqual(await some("al*ha"), ["al%ha", "al*ha", "al\\*ha", "al_ha", "alpha"].sort());
      assert.deepEqual(await byTopic("al*ha*"), ["al%ha", "al*ha", "al\\*ha", "al_ha", "alpha", "alphabet"].sort());
      assert.deepEqual(await some("😀*"), ["😀", "😀x"]);
      assert.deepEqual(await some("\u{10FFFF}*"), ["\u{10FFFF}z"]);
      assert.deepEqual(await byTopic("\u{10FFFF}*"), ["\u{10FFFF}z"]);
      assert.deepEqual(await byTopic("\uFFFF*"), ["\uFFFFstart"]);
      assert.deepEqual(await byTopic("*break"), ["line\nbreak"]);
      assert.deepEqual(await byTopic("a*\u0308"), ["a\u0308"]);
    });

    it("in the given field only", async () => {
      await stored("only a code", "only a topic");
      assert.lengthOf(await codes("only a code"), 1);
      assert.isEmpty(await topics("only a code"));
      assert.lengthOf(await topics("only a topic"), 1);
      assert.isEmpty(await codes("only a topic"));
    });

    it("with a wildcard alone for all of them", async () => {
      const all = await page({ target: "1", value: "*" });
      const { stats } = content(await server.call(ROUTES.auth, server.demo), ROUTES.auth).tparams;
      assert.lengthOf(all.events, stats.records);
      assert.deepEqual(await page({ target: "2", value: "*" }), all);
      assert.notProperty(all, "next");
    });

    it("with no result", async () => {
      const tparams = await page({ target: "1", value: "there is none" });
      assert.deepEqual(tparams, { events: [] });
    });

    it("page by page without loss or repetition, with records stored meanwhile", async () => {
      const everything = (await page({ target: "1", value: "*" })).events;
      for (const limit of [1, 7, everything.length - 1, everything.length, 10_000]) {
        const seen: Event[] = [];
        let cursor: string | undefined;
        for (let pages = 0; pages <= everything.length; pages += 1) {
          const tparams = await page({ target: "1", value: "*", limit, ...(cursor === undefined ? {} : { cursor }) });
          assert.isAtMost(tparams.events.length, limit);
          seen.push(...tparams.events);
          cursor = tparams.next;
          if (cursor === undefined) break;
          assert.isString(cursor);
          assert.lengthOf(tparams.events, limit);
        }
        assert.deepEqual(seen, everything, `pages of ${limit}`);
      }
      const first = await page({ target: "1", value: "*", limit: 10 });
      await stored("stored between two pages");
      const second = await page({ target: "1", value: "*", limit: 10, cursor: first.next ?? "" });
      assert.deepEqual([...first.events, ...second.events], everything.slice(0, 20));
    });
  });

  it("are all stored when fifty are sent at once", async () => {
    const results = await Promise.all(Array.from({ length: 50 }, (_, n) => stored(`burst ${n}`, "burst", { n })));
    const ids = results.map(({ chainid }) => chainid);
    assert.lengthOf(new Set(ids), 50);
    const { events } = await page({ target: "2", value: "burst" });
    assert.sameMembers(
      events.map(([, code]) => code),
      Array.from({ length: 50 }, (_, n) => `burst ${n}`),
    );
  });

  describe("of other accounts", function () {
    let reader: Login;
    let writer: Login;
    before(async () => {
      const { accounts } = server.context;
      assert.isDefined(accounts);
      reader = await accounts.create("read");
      writer = await accounts.create("full");
    });

    it("are found by all accounts, with their own sender", async () => {
      const other = await server.login(writer);
      await stored("of another", "others", {}, other);
      const [event] = (await page({ target: "1", value: "of another" })).events;
      assert.equal(event?.[0], writer.login);
    });

    it("are readable and decodable, but not writable, with the scope read", async () => {
      const response = await server.call(ROUTES.auth, reader);
      const { scope, tx } = content(response, ROUTES.auth).tparams;
      assert.equal(scope, "read");
      refused(await store("by a reader", "t", {}, tx), ROUTES.store, 403, "scope_refused");
      content(await find({ target: "1", value: "*" }, tx), ROUTES.search);
      const [vector] = callDataVectors();
      content(
        await server.call(ROUTES.decode, { token: tx }, { function: vector?.function, inputdata: vector?.inputdata }),
        ROUTES.decode,
      );
      const validated = content(await server.call(ROUTES.validate, { token: tx }), ROUTES.validate).tparams;
      assert.equal(validated.scope, "read");
      assert.isEmpty(await codes("by a reader"));
    });

    it("end with the revocation: no login, and no valid token", async () => {
      const live = await server.login(writer);
      await server.context.accounts?.revoke(writer.login);
      refused(await find({ target: "1", value: "*" }, live), ROUTES.search, 401, "token_invalid");
      refused(await store("by a revoked one", "t", {}, live), ROUTES.store, 401, "token_invalid");
      refused(await server.call(ROUTES.validate, { token: live }), ROUTES.validate, 401, "token_invalid");
      const response = await server.call(ROUTES.auth, writer);
      assert.equal(
        refused(response, ROUTES.auth, 401, "login_refused"),
        refused(await server.call(ROUTES.auth, { ...writer, password: "wrong" }), ROUTES.auth, 401, "login_refused"),
      );
      assert.lengthOf(await codes("of another"), 1, "what it stored stays");
    });
  });

  describe("are decoded from the chain", function () {
    const decode = (inputdata: unknown, name: unknown = "insert") =>
      server.call(ROUTES.decode, { token }, { function: name, inputdata });

    it("at the maximum size", async () => {
      const payload = { noise: randomBytes(47_000).toString("base64") };
      const { chainid } = await stored("large", "large", payload);
      const [input = ""] = (await allTransactions(server.chainUrl))
        .map((transaction) => transaction.input)
        .toReversed();
      assert.isAbove(input.length, 100_000);
      const { transaction } = content(await decode(input), ROUTES.decode).tparams;
      assert.equal(transaction.rowid.reference, chainid);
      assert.deepEqual(transaction.rowdata.payload, payload);
    });

    it("as stored, with the sender's signature", async () => {
      const payload = { payload: { sensorvalue: 7, text: "ü".repeat(400) } };
      const { chainid } = await stored("decode|me", "50% decoded", payload);
      const abi = new Interface([SIGNATURE]);
      let found: string | undefined;
      for (const { input } of (await allTransactions(server.chainUrl)).reverse()) {
        if (!input.startsWith(abi.getFunction("insert")?.selector ?? "-")) continue;
        if (Number(abi.decodeFunctionData("insert", input).getValue("rowid")) === chainid) found = input;
      }
      assert.isDefined(found, "the row's transaction is on the chain");
      const input = found ?? "";
      const body = content(await decode(input), ROUTES.decode);
      assert.hasAllKeys(body, ["component_render", "tparams"]);
      assert.hasAllKeys(body.tparams, ["checks", "record", "transaction"]);
      const signer = server.demo.login;
      assert.deepEqual(body.tparams.checks, {
        passed: true,
        signer,
        signed_by_sender: true,
        binding: "place",
        row_id_matches: true,
      });
      assert.deepInclude(body.tparams.record, { chainid, table: "events" });
      const { comp, rowdata, rowid, signature, tabname, ...rest } = body.tparams.transaction;
      assert.isEmpty(rest);
      const expected = abi.decodeFunctionData("insert", input);
      const bytes = getBytes(expected.getValue("rowdata"));
      assert.deepEqual(comp, { reference: 1, type: "bool" });
      assert.deepEqual(rowid, { reference: chainid, type: "uint256" });
      assert.hasAllKeys(rowdata, ["filechain", "hexdata", "length", "payload", "reference", "type"]);
      assert.deepEqual(rowdata.payload, payload);
      assert.equal(rowdata.hexdata, Buffer.from(bytes).toString("hex"));
      assert.equal(rowdata.length, bytes.length);
      assert.equal(rowdata.type, "bytes");
      assert.equal(tabname.type, "string");
      assert.equal(Buffer.from(tabname.hexdata, "hex").toString(), expected.getValue("tabname"));
      assert.equal(tabname.length, 6);
      const segments = rowdata.filechain.split("|");
      assert.lengthOf(segments, 7);
      const [id, sender, code, date, base64, topic, format] = segments;
      assert.equal(id, String(chainid));
      assert.equal(getAddress(sender), server.demo.login);
      assert.equal(code, "decode%7Cme");
      assert.match(date, HTTP_DATE);
      assert.deepEqual(JSON.parse(Buffer.from(base64, "base64").toString()), payload);
      assert.equal(topic, "50%25 decoded");
      assert.equal(format, "1");
      assert.equal(signature.type, "string");
      const text = Buffer.from(signature.hexdata, "hex").toString();
      assert.equal(text, expected.getValue("signature"));
      const deployment = JSON.parse(readFileSync(join(server.directory, "deployments/7325.json"), "utf8"));
      const digest = AbiCoder.defaultAbiCoder().encode(
        ["uint256", "address", "bytes32", "uint256", "bool", "bytes32"],
        [7325, deployment.contracts.EventTable, hashOf("events"), chainid, true, keccak256(bytes)],
      );
      assert.equal(verifyMessage(getBytes(keccak256(digest)), text), server.demo.login);
      for (const [index, element] of [
        [0, tabname],
        [2, rowdata],
        [4, signature],
      ] as const) {
        assert.equal(element.reference, Number.parseInt(input.slice(10 + 64 * index, 74 + 64 * index), 16));
        assert.equal(element.length, element.hexdata.length / 2);
      }
    });

    it("with the checks of the row: signed by another than its sender, under another row id, not signed", async () => {
      const abi = new Interface([SIGNATURE.replace("insert", "set")]);
      const wallet = Wallet.createRandom();
      const checksOf = async (row: string, rowId: number, signature?: string) => {
        const data = Buffer.from(row);
        const text = signature ?? (await wallet.signMessage(data));
        const input = abi.encodeFunctionData("set", ["elsewhere", rowId, data, false, text]);
        return content(await decode(input, "set"), ROUTES.decode).tparams.checks;
      };
      const own = `7|${wallet.address.toLowerCase()}|c|d|e30=|t|1`;
      const signer = wallet.address;
      assert.deepEqual(await checksOf(own, 7), {
        passed: true,
        signer,
        signed_by_sender: true,
        binding: "none",
        row_id_matches: true,
      });
      assert.deepInclude(await checksOf(own, 8), { passed: false, signed_by_sender: true, row_id_matches: false });
      assert.deepInclude(await checksOf(`7|${server.demo.login}|c|d|e30=|t|1`, 7), {
        passed: false,
        signer,
        signed_by_sender: false,
        binding: null,
      });
      assert.deepInclude(await checksOf(own, 7, "0x12"), {
        passed: false,
        signer: null,
        signed_by_sender: false,
        binding: null,
      });
      // A contract account's signature names it; only the chain can check it.
      assert.deepInclude(await checksOf(own, 7, `${wallet.address}abcd`), {
        passed: false,
        signer,
        signed_by_sender: false,
        binding: "contract",
      });
    });

    it("but not data that are malformed, with the reason and where it is", async () => {
      const abi = new Interface([SIGNATURE.replace("insert", "set")]);
      const payload = Buffer.from("{").toString("base64");
      const row = Buffer.from(`1|0x|c|d|${payload}|t|1`);
      const response = await decode(abi.encodeFunctionData("set", ["events", 1, row, false, "0x"]), "set");
      assert.match(refused(response, ROUTES.decode, 400, "malformed"), /payload.*JSON/i);
      assert.hasAllKeys(response.body.content, ["error"]);
      const { details, message } = response.body.content.error;
      assert.isNotEmpty(details);
      for (const { path } of details) assert.match(path, /^payload\.inputdata(\.\w+)*$/, "where it is in the call");
      assert.match(message, /^payload\.inputdata/);
    });
  });

  it("are sent by the relayer, the only table writer on the chain", async () => {
    const table = new Interface([SIGNATURE]);
    const rows = (await allTransactions(server.chainUrl)).filter(({ input }) =>
      input.startsWith(table.getFunction("insert")?.selector ?? "-"),
    );
    assert.lengthOf(new Set(rows.map(({ from }) => from)), 1);
    assert.notInclude(
      rows.map(({ from }) => getAddress(from)),
      server.demo.login,
    );
    const block = Number(await rpcCall(server.chainUrl, "eth_blockNumber"));
    const { stats } = content(await server.call(ROUTES.auth, server.demo), ROUTES.auth).tparams;
    assert.isAtLeast(stats.block, block);
  });
});
