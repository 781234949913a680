import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { assert } from "chai";
import { decryptKeystoreJson, encryptKeystoreJson, getBytes, keccak256, Wallet } from "ethers";
import { content, refused } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { KnownSecrets } from "../support/secrets/known-secrets.ts";
import { type Login, ROUTES, startServer, type TestServer } from "../support/server.ts";

describe("a stolen database", function () {
  let server: TestServer;
  let database: DatabaseSync;
  /** A session that lives. */
  let token: string;
  let secureKey: string;
  /** Milliseconds that the server's clock is ahead. */
  let ahead = 0;
  before(async () => {
    server = await startServer(
      { SESSION_LIFETIME: "3600" },
      {
        overrides: { clock: () => Date.now() + ahead },
        settings: { sessions: { loginAttemptsPerAddress: 100 } },
      },
    );
    ({ tx: token, pkey: secureKey } = content(await server.call(ROUTES.auth, server.demo), ROUTES.auth).tparams);
    const record = await server.call(ROUTES.store, { token }, { code: "c", topic: "t", payload: { value: 1 } });
    assert.equal(record.status, 200);
    database = new DatabaseSync(join(server.directory, "sealbook.sqlite"));
    // What guards the journal against mistakes holds nobody up who has the file.
    for (const { name } of database.prepare("select name from sqlite_master where type = 'trigger'").all())
      database.exec(`drop trigger "${String(name)}"`);
  });
  after(async () => {
    database.close();
    await server.stop();
  });

  const keystoreOf = (login: string): string =>
    String(database.prepare("select keystore from accounts where address = ?").get(login)?.["keystore"]);
  const reader = async (): Promise<Login> =>
    (await server.context.accounts?.create("read")) ?? assert.fail("there is no administration");
  const store = (with_: string) => server.call(ROUTES.store, { token: with_ }, { code: "c", topic: "t", payload: {} });

  // Security, database copy: finds no token, key or password in the copy
  it("contains no token, secure key, signing key or password", async () => {
    const { privateKey } = await decryptKeystoreJson(keystoreOf(server.demo.login), server.demo.password);
    const secrets = [token, secureKey, privateKey, server.demo.password];
    const known = new KnownSecrets();
    for (const [index, secret] of secrets.entries()) known.add(String(index), secret);
    const files = readdirSync(server.directory).filter(
      (name) => name.startsWith("sealbook.sqlite") && !name.endsWith("-shm"),
    );
    assert.isAtLeast(files.length, 1);
    for (const name of files) {
      const bytes = readFileSync(join(server.directory, name));
      assert.isEmpty(known.in(bytes.toString("latin1")));
      for (const secret of secrets)
        assert.isFalse(
          bytes.includes(Buffer.from(secret.replace(/^0x/, ""), secret.startsWith("0x") ? "hex" : "utf8")),
          name,
        );
    }
  });

  // Security, database: cannot publish a key as the issuer's: published keys are those of `issuer-keys.json`
  it("does not allow to publish a key as the issuer's", async () => {
    const keySet = async (): Promise<unknown> => (await server.get("/.well-known/jwks.json")).body;
    const before = await keySet();
    database
      .prepare(
        `insert into issuer_keys (sequence, public_key, keystore, created_at)
         values (999, x'04' || randomblob(64), null, 1)`,
      )
      .run();
    assert.deepEqual(await keySet(), before);
    database.prepare("delete from issuer_keys where sequence = 999").run();
  });

  // Security, database copy: cannot find an account's key with a token that has ended
  it("has no keys of tokens that were replaced, closed or revoked, or that expired", async () => {
    const keysOf = (old: string): number => {
      const sum = "length(wrapped_secure_key) + length(encrypted_signing_key)";
      const row = database.prepare(`select ${sum} as bytes from sessions where token_hash = ?`);
      return Number(row.get(getBytes(keccak256(old)))?.["bytes"]);
    };
    const login = async (account: Login = server.demo): Promise<string> =>
      content(await server.call(ROUTES.auth, account), ROUTES.auth).tparams.tx;
    const validate = async (old: string, headers = {}): Promise<string> =>
      content(await server.call(ROUTES.validate, { token: old }, {}, headers), ROUTES.validate).tparams.tx;
    const first = await login();
    assert.isAbove(keysOf(first), 0);
    const second = await validate(first);
    assert.deepEqual([keysOf(first), keysOf(second) > 0], [0, true]);
    const key = { "Idempotency-Key": randomUUID() };
    const third = await validate(second, key);
    assert.equal(await validate(second, key), third, "the repeated call has its answer");
    content(await server.call(ROUTES.close, { token: third }), ROUTES.close);
    assert.deepEqual([keysOf(second), keysOf(third)], [0, 0]);

    const fourth = await login();
    const fifth = await validate(fourth, { "Idempotency-Key": randomUUID() });
    assert.isAbove(keysOf(fourth), 0, "the repeated call needs them");
    const sixth = await validate(fifth, { "Idempotency-Key": randomUUID() });
    assert.deepEqual([keysOf(fourth), keysOf(fifth) > 0, keysOf(sixth) > 0], [0, true, true]);

    const revoked = await reader();
    const replaced = await eventually(() => login(revoked));
    const current = await validate(replaced, { "Idempotency-Key": randomUUID() });
    await server.context.accounts?.revoke(revoked.login);
    assert.deepEqual([keysOf(replaced), keysOf(current)], [0, 0]);

    const expiring = await login();
    ahead = 3_601_000;
    await eventually(async () => assert.deepEqual([expiring, fifth, sixth].map(keysOf), [0, 0, 0]));
    refused(await server.call(ROUTES.validate, { token: expiring }), ROUTES.validate, 401, "token_expired");
    refused(await server.call(ROUTES.validate, { token: second }, {}, key), ROUTES.validate, 401, "token_invalid");
    ahead = 0;
    // A session of the other tests: theirs has expired.
    token = await server.login();
  });

  // Security, database copy: cannot use a session with any data of the copy
  it("contains no text that is accepted as a token", async () => {
    const tables = database
      .prepare("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => String(name));
    const values = tables.flatMap((table) =>
      database
        .prepare(`select * from "${table}"`)
        .all()
        .flatMap((row) => Object.values(row)),
    );
    const candidates = new Set(
      values.flatMap((value) =>
        value instanceof Uint8Array && value.length >= 32
          ? [Buffer.from(value.subarray(0, 32)).toString("hex"), Buffer.from(value.subarray(-32)).toString("hex")]
          : [],
      ),
    );
    assert.isAbove(candidates.size, 5);
    for (const candidate of candidates) {
      const response = await server.call(
        ROUTES.search,
        { token: `0x${candidate}` },
        { search: { target: "1", value: "*" } },
      );
      refused(response, ROUTES.search, 401, "token_invalid");
    }
  });

  // Security, database: cannot create an account
  it("does not allow to create an account: the chain does not have it", async () => {
    const password = "the intruder's own password";
    const { address, privateKey } = Wallet.createRandom();
    const keystore = await encryptKeystoreJson({ address, privateKey }, password, { scrypt: { N: 1 << 12 } });
    const copied =
      "insert into accounts select ?, ?, 'full', 1, created_at, null, sequence + 1000000 from accounts limit 1";
    database.prepare(copied).run(address, keystore);
    const response = await server.call(ROUTES.auth, { login: address, password });
    refused(response, ROUTES.auth, 401, "login_refused");
    assert.equal(response.body.content.error.message, "the account was revoked, or is not enrolled in these contracts");
    database.prepare("delete from accounts where address = ?").run(address);
  });

  // Security, database: cannot extend the rights of an account
  it("does not allow to extend an account's rights beyond those on the chain", async () => {
    const account = await reader();
    await eventually(() => server.login(account));
    database.prepare("update accounts set scope = 'full' where address = ?").run(account.login);
    refused(await store(await server.login(account)), ROUTES.store, 403, "scope_refused");
  });

  // Security, database: cannot act for an account by replacing its password
  it("does not allow to replace an account's key and get its rights", async () => {
    const password = "the intruder's own password";
    const before = keystoreOf(server.demo.login);
    const { address, privateKey } = Wallet.createRandom();
    const keystore = await encryptKeystoreJson({ address, privateKey }, password, { scrypt: { N: 1 << 12 } });
    database.prepare("update accounts set keystore = ? where address = ?").run(keystore, server.demo.login);
    const response = await server.call(ROUTES.auth, { login: server.demo.login, password });
    assert.notEqual(response.status, 200, response.text);
    database.prepare("update accounts set keystore = ? where address = ?").run(before, server.demo.login);
    await server.login();
  });
});
