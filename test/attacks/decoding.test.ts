import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "chai";
import { AbiCoder, concat, Wallet } from "ethers";
import { bzip2 } from "../../server/records/bzip2.ts";
import { encodeCallData } from "../../server/records/call-data.ts";
import { TALKATIVE, botVariables } from "../support/bot.ts";
import type { HttpResponse } from "../support/http.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { rpcCall } from "../support/rpc.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { type Chat, TelegramServer } from "../support/telegram-server.ts";

const ROW_LIMIT = "the stream expands to more than 131072 bytes";
const NESTING_LIMIT = "is nested deeper than 128 levels";
const MAX_ANSWER = 512 * 1024;

/** Encodes call data of a row with this topic, and a payload of this JSON text. */
function callData(payload: string, topic = "t"): string {
  const row = Buffer.from(["1", "0x", "c", "", Buffer.from(payload).toString("base64"), topic, "1"].join("|"));
  return encodeCallData("set", { tabname: "t", rowid: 1n, rowdata: bzip2.compress(row), comp: true, signature: "0x" });
}

const nested = (depth: number, inside = ""): string => `{"a":${"[".repeat(depth)}${inside}${"]".repeat(depth)}}`;

/** Call data of 2 KB that would expand to answers of 13 and 38 MB: the row, and its payload once more. */
const BOMBS = [5_600_000, 16_000_000].map((length) => callData(`{"a":"${"a".repeat(length)}"}`));
/** A row with the most bytes, of which each takes six in JSON. */
const CONTROLS = callData("{}", "\u0001".repeat(130_000));
/** A row with the most levels, that grows with the indentation of each of its 48,000 numbers. */
const INDENTED = callData(nested(126, `1${",1".repeat(40_000)}`));
/** The most expensive row within all budgets. */
const WORST = callData(nested(126, `1${",1".repeat(40_000)}`));
const DEEP = callData(nested(20_000));

/** Sends call data to a contract, which refuses them: on chain they are all the same. */
async function mined(url: string, sender: Wallet, to: string, data: string): Promise<string> {
  const raw = await sender.signTransaction({
    type: 0,
    chainId: Number(await rpcCall(url, "eth_chainId")),
    nonce: Number(await rpcCall(url, "eth_getTransactionCount", sender.address, "latest")),
    to,
    data,
    gasLimit: 25_000_000,
    gasPrice: 0n,
  });
  const hash = await rpcCall(url, "eth_sendRawTransaction", raw);
  while ((await rpcCall(url, "eth_getTransactionReceipt", hash)) === null);
  return hash;
}

describe("decoding hostile call data", function () {
  let telegram: TelegramServer;
  let server: TestServer;
  let token: string;
  let sender: Wallet;
  let eventTable: string;
  let people = 9000;
  const stranger = (): Chat => telegram.person((people += 1));
  before(async () => {
    telegram = await new TelegramServer().start();
    server = await startServer(
      {
        ...botVariables(telegram),
        CHAIN_PORT_SEND: "on",
        SESSION_LIFETIME: "36000",
        QUERY_RATE: "1000000",
      },
      { settings: { explorer: { rate: 1e6 }, ...TALKATIVE } },
    );
    token = await server.login();
    sender = new Wallet(JSON.parse(readFileSync(join(server.directory, "keys.json"), "utf8")).administrator);
    eventTable = (await server.get("/explorer/api/chain")).body.contracts.EventTable;
  });
  after(async () => {
    await server.stop();
    telegram.stop();
  });

  const decode = (inputdata: string, asToken = token): Promise<HttpResponse> =>
    server.call(ROUTES.decode, { token: asToken }, { function: "set", inputdata });

  const onChain = (data: string): Promise<string> => mined(server.chainUrl, sender, eventTable, data);

  const explore = (hash: string): Promise<HttpResponse> => server.get(`/explorer/api/transactions/${hash}`);

  /** Decodes as the panel does: fetches the transaction, and sends its call data with the cookie of the session. */
  async function decodeInPanel(hash: string): Promise<HttpResponse> {
    const inputdata = (await explore(hash)).body.input;
    const headers = { Origin: server.url, Cookie: `svcauth=${token}` };
    return server.call(ROUTES.decode, { token }, { function: "set", inputdata }, headers);
  }

  /** Sends a document to the bot; returns the text or the file of its reply. */
  async function decodeInChat(inputdata: string, chat = stranger()): Promise<string> {
    const [{ text, file }] = await chat.after(() => chat.sendDocument(inputdata, "/decode"));
    return file?.content.toString() ?? text;
  }

  function refused({ status, body, text }: HttpResponse, reason: string): void {
    assert.equal(status, 400);
    assert.include(body.msg, reason);
    assert.isBelow(text.length, 1_000);
  }

  async function refusedEverywhere(data: string, reason: string): Promise<void> {
    refused(await decode(data), reason);
    assert.include(await decodeInChat(data), reason);
    const hash = await onChain(data);
    refused(await decodeInPanel(hash), reason);
    const { status, body } = await explore(hash);
    assert.deepEqual([status, body.action.kind, body.input], [200, "record", data]);
    assert.include(body.action.fault, reason);
    assert.isUndefined(body.action.row);
  }

  // Security, network: cannot make the server expand a few bytes to megabytes: by API, panel, explorer or bot
  it("of 2 KB expands to no megabytes, by none of the four ways", async () => {
    for (const bomb of BOMBS) {
      assert.isBelow(bomb.length, 2 * 2_048);
      await refusedEverywhere(bomb, ROW_LIMIT);
    }
  });

  // Security, network: cannot exhaust the server with nested data
  it("of 20,000 levels is refused with the reason, by each of the four ways", () =>
    refusedEverywhere(DEEP, NESTING_LIMIT));

  it("returns at most 512 KiB, by each of the four ways", async () => {
    const expanded = /inputdata: decodes to \d{6} bytes, and the server returns at most 524288/;
    assert.isBelow(CONTROLS.length, 2_000);
    const viaApi = await decode(CONTROLS);
    assert.equal(viaApi.status, 400);
    assert.match(viaApi.body.msg, expanded);
    assert.match(await decodeInChat(CONTROLS), expanded);
    const hash = await onChain(CONTROLS);
    assert.match((await decodeInPanel(hash)).body.msg, expanded);
    assert.match((await explore(hash)).body.action.fault, expanded);
    // Indentation would make megabytes of this.
    const text = await decodeInChat(INDENTED);
    assert.include(text, '"filechain"');
    assert.isBelow(text.length, MAX_ANSWER);
    assert.isBelow((await decode(INDENTED)).text.length, MAX_ANSWER);
  });

  it("decodes nothing of a transaction above 256 KiB in the explorer, which shows it with the reason", async () => {
    const args = AbiCoder.defaultAbiCoder().encode(
      ["string", "uint256", "bytes", "bool", "string"],
      ["t", 1n, new Uint8Array(300_000), false, "0x"],
    );
    const data = concat([callData("{}").slice(0, 10), args]);
    // The embedded chain takes no transaction of that size.
    const chain = await startRemoteChain(startRawNode);
    const foreign = await startServer(chain.variables, { directory: chain.directory });
    try {
      const { contracts } = (await foreign.get("/explorer/api/chain")).body;
      const hash = await mined(chain.url, new Wallet(chain.variables.ADMIN_KEY ?? ""), contracts.EventTable, data);
      const { status, body } = await foreign.get(`/explorer/api/transactions/${hash}`);
      assert.deepEqual([status, body.input, body.action, body.call], [200, data, { kind: "other" }, undefined]);
      assert.match(body.undecoded, /^the call has 300\d{3} bytes, and the explorer decodes at most 262144$/);
    } finally {
      await foreign.stop("keep");
      await chain.close();
    }
  });

  // Security, network: cannot keep others waiting with many or expensive transactions to decode
  it("keeps no other caller waiting: the callers of a long queue take turns", async () => {
    const other = (await server.context.accounts?.create("full")) ?? assert.fail("there is no administration");
    const otherToken = await server.login(other);
    const ofOthers: number[] = [];
    let isOver = false;
    /** Keeps one decode in flight as long as the test lasts. */
    const flood = async (): Promise<void> => {
      while (!isOver) ofOthers.push((await decode(WORST)).status);
    };
    const floods = Array.from({ length: 50 }, flood);
    // Their queue has its full length when the first of them is refused or done.
    await Promise.race(floods.map(() => decode(WORST)));
    const start = ofOthers.length;
    for (let turn = 0; turn < 10; turn += 1) assert.equal((await decode(WORST, otherToken)).status, 200);
    const meanwhile = ofOthers.slice(start);
    isOver = true;
    await Promise.all(floods);
    // In one queue, each of the ten would have waited for fifty.
    assert.isBelow(meanwhile.filter((status) => status === 200).length, 100);
    assert.sameMembers([...new Set(ofOthers)], [200, 429]);
  });

  it("leaves the server to others: it responds while a thread decodes", async () => {
    let isOver = false;
    const decoding = Promise.all(Array.from({ length: 15 }, () => decode(WORST))).finally(() => (isOver = true));
    let inFlight = 0;
    while (!isOver) {
      const { text } = await server.get("/metrics");
      inFlight = Math.max(inFlight, Number(/^sealbook_decodes_in_flight (\d+)$/m.exec(text)?.[1]));
    }
    for (const { status } of await decoding) assert.equal(status, 200);
    assert.isAtLeast(inFlight, 1);
  });

  // Security, bot: a user of a chat cannot decode without end, nor fill the database with replies
  it("has a rate for users of the bot without an account", async () => {
    const chat = stranger();
    const replies: string[] = [];
    for (let message = 0; message < 12; message += 1) replies.push((await chat.request("/decode 0x12345678")).text);
    assert.lengthOf(
      replies.filter((text) => text.includes("selector")),
      10,
    );
    assert.include(replies.at(-1), "Too many requests");
    assert.include(await decodeInChat("0x12345678"), "selector");
  });
});
