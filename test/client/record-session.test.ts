import { setTimeout as sleep } from "node:timers/promises";
import { assert } from "chai";
import { type FoundRecord, RecordClient, RecordSession } from "../../client/index.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { callDataVectors } from "../vectors/calldata/vectors.ts";
import { rejection } from "./fake-server.ts";

/** A client renews its token after half of it. */
const LIFETIME_SECONDS = 4;

/** A client that counts its logins, and remembers the tokens of its extensions. */
class WatchedClient extends RecordClient {
  logins = 0;
  readonly extended: string[] = [];
  override auth(...args: Parameters<RecordClient["auth"]>) {
    this.logins += 1;
    return super.auth(...args);
  }
  override async extend(...args: Parameters<RecordClient["extend"]>) {
    const extended = await super.extend(...args);
    this.extended.push(extended.tparams.tx);
    return extended;
  }
}

async function all(records: AsyncIterable<FoundRecord>): Promise<FoundRecord[]> {
  const found: FoundRecord[] = [];
  for await (const record of records) found.push(record);
  return found;
}

describe("a session of the record client", function () {
  let server: TestServer;
  let client: WatchedClient;
  /** The server's clock, which only the tests set forward. */
  let now = NaN;
  before(async () => {
    server = await startServer(
      { SESSION_LIFETIME: String(LIFETIME_SECONDS) },
      { overrides: { clock: () => (Number.isNaN(now) ? Date.now() : now) } },
    );
    now = Date.now();
  });
  after(() => server.stop());
  beforeEach(() => {
    client = new WatchedClient(server.url);
  });

  /**
   * Sets the server's clock forward by half of a lifetime after each extension, so that a token lasts until the next
   * one however slow the machine is. After some extensions the first token has expired.
   */
  const afterExtensions = async (count: number, meanwhile: () => Promise<unknown>): Promise<void> => {
    for (let extended = 0; extended < count; extended += 1) {
      while (client.extended.length <= extended) await meanwhile();
      now += (LIFETIME_SECONDS / 2) * 1000;
    }
  };

  it("renews its token during use, with one login", async () => {
    await using session = await RecordSession.open(client, server.demo);
    const first = session.token;
    let stored = 0;
    await afterExtensions(3, async () => {
      // Several at once: those on their way while the token is replaced are made again with the next one.
      const calls = [1, 2, 3].map((number) => session.store({ code: "lasting", topic: "t", payload: { number } }));
      stored += (await Promise.all(calls)).length;
      await sleep(100);
    });
    assert.equal(client.logins, 1);
    assert.isAtLeast(new Set([first, ...client.extended]).size, 4);
    assert.lengthOf(await all(session.search({ field: "code", value: "lasting", limit: 50 })), stored);
  });

  it("stays valid without calls beyond the lifetime of a token", async () => {
    await using session = await RecordSession.open(client, server.demo);
    const first = session.token;
    await afterExtensions(3, () => sleep(50));
    assert.notEqual(session.token, first);
    const vector = callDataVectors().find(({ name }) => name === "own-set-plain") ?? assert.fail();
    assert.deepEqual(await session.decode("set", vector.inputdata), vector.transaction as never);
    assert.equal(client.logins, 1);
    assert.propertyVal(await rejection(client.validate(first)), "code", "token_invalid");
  });
});

describe("a session of the record client that is not renewed", function () {
  let server: TestServer;
  let client: WatchedClient;
  before(async () => {
    server = await startServer({ SESSION_LIFETIME: "3600" });
  });
  after(() => server.stop());
  beforeEach(() => {
    client = new WatchedClient(server.url);
  });

  it("logs in again after its token was closed elsewhere", async () => {
    await using session = await RecordSession.open(client, server.demo);
    await client.close(session.token);
    await session.store({ code: "again", topic: "t", payload: {} });
    assert.equal(client.logins, 2);
  });

  it("rejects calls after its close", async () => {
    const session = await RecordSession.open(client, server.demo);
    await session.close();
    await session.close();
    const errors = [
      await rejection(session.store({ code: "c", topic: "t", payload: {} })),
      await rejection(client.validate(session.token)),
    ];
    for (const error of errors) assert.deepInclude(error, { name: "ClientError", code: "token_invalid" });
  });
});
