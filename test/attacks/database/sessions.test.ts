import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { sessionIdOf } from "../../../server/chain/contracts/session-registry-client.ts";
import { encryptKeys } from "../../../server/sessions/key-vault.ts";
import { tokenHash } from "../../../server/sessions/session.ts";
import { type Administrator, administratorOf, EVERY_ACCESS } from "../../support/administrator.ts";
import { emptyDatabase } from "../../support/database.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { EngineDatabase } from "../../support/engine-database.ts";
import { ROUTES, startServer, type TestServer } from "../../support/server.ts";

/** A time in the far future, in Unix seconds. */
const LATE = 9_999_999_999;
const RECORD = { code: "a", topic: "b", payload: { c: 1 } };

for (const access of EVERY_ACCESS)
  describe(`sessions that ${access.who} changes, on ${access.engine}`, function () {
    let directory: string;
    let database: EngineDatabase;
    let administrator: Administrator;
    let server: TestServer;
    /** Of the server's clock, in milliseconds. */
    let ahead = 0;

    before(async () => {
      directory = await temporaryDirectory();
      database = await emptyDatabase(access.engine);
      server = await startServer(
        { DATABASE_URL: database.url },
        { directory, overrides: { clock: () => Date.now() + ahead } },
      );
      administrator = await administratorOf(database, access);
    });
    after(async () => {
      await administrator.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });

    const literal = (bytes: Uint8Array): string => {
      const digits = Buffer.from(bytes).toString("hex");
      return access.engine === "sqlite" ? `x'${digits}'` : `'\\x${digits}'::bytea`;
    };
    const hashOf = (token: string): Uint8Array => tokenHash(Buffer.from(token.slice(2), "hex"));
    const rows = async (): Promise<number> =>
      Number((await server.get("/metrics")).text.match(/^sealbook_records (\d+)$/m)?.[1]);
    /** Whatever the table has, the token does nothing. */
    const assertDoesNothing = async (token: string, types: readonly string[]): Promise<void> => {
      const before = await rows();
      for (const [route, payload] of [
        [ROUTES.store, RECORD],
        [ROUTES.search, { search: { target: "1", value: "*" } }],
        [ROUTES.validate, undefined],
        [ROUTES.extend, undefined],
        [ROUTES.close, undefined],
      ] as const) {
        const { status, text } = await server.call(route, { token }, payload);
        assert.notEqual(status, 200, `${route}: ${text}`);
        // The contract refuses the other calls.
        if (payload === undefined) continue;
        assert.isTrue(
          types.some((type) => text.includes(type)),
          `${route}: ${text}`,
        );
      }
      assert.equal(await rows(), before);
    };
    const insert = async (token: Uint8Array, id: Uint8Array, account: string): Promise<void> => {
      const keys = encryptKeys(token, { secureKey: randomBytes(32), signingKey: randomBytes(32) });
      const values = [
        literal(tokenHash(token)),
        literal(id),
        `'${account}'`,
        "'active'",
        LATE,
        1,
        literal(keys.wrappedSecureKey),
        literal(keys.encryptedSigningKey),
        1,
      ];
      await administrator.run(
        "insert into sessions (token_hash, session_id, account, state, expires_at_seconds, validated, " +
          `wrapped_secure_key, encrypted_signing_key, transaction_id) values (${values.join(", ")})`,
      );
    };

    // Security, database: cannot invent a session, nor make an ended one live again: the contract is asked
    it("are none when they were inserted with an own key (attack 25)", async () => {
      const token = randomBytes(32);
      await insert(token, sessionIdOf(server.demo.login, tokenHash(token)), server.demo.login);
      await assertDoesNothing(`0x${token.toString("hex")}`, ["the chain does not have this token"]);
    });

    it("are none beside the live one of an account, or of another account (attack 25)", async () => {
      const live = await server.login();
      const beside = randomBytes(32);
      await insert(beside, sessionIdOf(server.demo.login, hashOf(live)), server.demo.login);
      await assertDoesNothing(`0x${beside.toString("hex")}`, ["the chain does not have this token"]);
      const another = "0x00000000000000000000000000000000000000AA";
      await administrator.run(
        `update sessions set account = '${another}' where token_hash = ${literal(hashOf(live))}`,
        `update accounts set address = '${another}'`,
      );
      await assertDoesNothing(live, ["the session is not one of this account"]);
      await administrator.run(`update accounts set address = '${server.demo.login}'`);
    });

    it("end when the contract says so, whatever expiry the table has (attack 25)", async () => {
      const token = await server.login();
      assert.equal((await server.call(ROUTES.store, { token }, RECORD)).status, 200);
      await administrator.run(`update sessions set expires_at_seconds = ${LATE}`);
      ahead = 61_000;
      const { status, text } = await server.call(ROUTES.store, { token }, RECORD);
      assert.equal(status, 401, text);
      assert.include(text, "the token has expired");
      ahead = 0;
    });

    it("are closed on the chain, whatever a trigger says of the call that is to close them", async () => {
      const token = await server.login();
      const row = literal(hashOf(token));
      const mined = { hash: literal(randomBytes(32)), block_number: "1", block_hash: literal(randomBytes(32)) };
      await administrator.changeInserted("mined", "transactions", "new.purpose = 'session_close'", {
        ...{ state: "'confirmed'", block_time: "1", validator: "''" },
        ...mined,
      });
      const { status, text } = await server.call(ROUTES.close, { token });
      await administrator.dropTrigger("mined", "transactions");
      assert.equal(status, 200, text);
      await administrator.run(`update sessions set state = 'active' where token_hash = ${row}`);
      await assertDoesNothing(token, ["the session was closed on the chain"]);
    });

    for (const [what, route] of [
      ["closed", ROUTES.close],
      ["replaced", ROUTES.validate],
    ] as const)
      it(`stay ${what}, with the old token and the old keys put back (attack 25)`, async () => {
        const token = await server.login();
        const row = literal(hashOf(token));
        await administrator.run(`create table kept as select * from sessions where token_hash = ${row}`);
        assert.equal((await server.call(route, { token })).status, 200);
        await administrator.run(
          `delete from sessions where token_hash = ${row}`,
          "insert into sessions select * from kept",
          "drop table kept",
        );
        await assertDoesNothing(token, ["the session was closed on the chain", "the chain does not have this token"]);
      });
  });

for (const access of EVERY_ACCESS)
  describe(`a session that is being closed while ${access.who} changes its call, on ${access.engine}`, function () {
    it("is not called closed before the chain shows it", async () => {
      const directory = await temporaryDirectory();
      const database = await emptyDatabase(access.engine);
      const server = await startServer({ DATABASE_URL: database.url, CHAIN_BLOCK_PERIOD: "2" }, { directory });
      const administrator = await administratorOf(database, access);
      const token = await server.login();
      await administrator.changeUpdated(
        "mined",
        "transactions",
        "new.purpose = 'session_close' and new.state = 'sent'",
        { state: "'confirmed'", block_number: "0", block_hash: "new.hash", block_time: "1", validator: "''" },
      );
      // The next block is seconds away.
      const { status, text } = await server.call(ROUTES.close, { token });
      assert.equal(status, 503, text);
      assert.include(text, "the chain does not show yet that the session is closed");
      await administrator.close();
      await server.stop("keep");
      await removeDirectory(directory);
      await database.remove();
    });
  });
