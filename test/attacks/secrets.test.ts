import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { assert } from "chai";
import { encryptKeystoreJson, Wallet } from "ethers";
import { SignJWT } from "jose";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { emptyDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import type { HttpResponse } from "../support/http.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { failToStart, type ServerProcess, startProcess } from "../support/process.ts";
import { startRemoteChain } from "../support/remote-chain.ts";
import { KnownSecrets } from "../support/secrets/known-secrets.ts";
import { ROUTES } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const ISSUER = "https://login.example";
const run = promisify(execFile);

describe("secrets", () => {
  // Security, log: finds no password, token, key or credential, in any success or failure
  it("are in no output, log or metric of the server, in any success or failure", async () => {
    const secrets = new KnownSecrets();
    /** What left the server, by the way it took. */
    const written: { readonly way: string; readonly text: string }[] = [];
    const chain = await startRemoteChain();
    const database = await emptyDatabase("postgres");
    const processes: ServerProcess[] = [];
    const outputs: string[] = [];
    const receiver = createServer(async (request, response) => {
      outputs.push(JSON.stringify(request.headers) + (await text(request)));
      response.writeHead(outputs.length % 2 === 0 ? 200 : 500).end();
    });
    receiver.listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/api/v2/alerts`;

    const [keystoreFile, passwordFile, issuerFile] = ["relayer.json", "relayer.password", "issuer.pem"].map((name) =>
      join(chain.directory, name),
    ) as [string, string, string];
    const keystorePassword = secrets.add("password of the keystore", `keystore ${randomBytes(8).toString("hex")}`);
    const { address, privateKey } = new Wallet(secrets.add("relayer's key", chain.variables.RELAYER_KEY ?? ""));
    const keystore = await encryptKeystoreJson({ address, privateKey }, keystorePassword, { scrypt: { N: 1 << 12 } });
    secrets.add("keystore", JSON.parse(keystore).Crypto.ciphertext);
    secrets.add("administrator's key", chain.variables.ADMIN_KEY ?? "");
    await writeFile(keystoreFile, keystore);
    await writeFile(passwordFile, keystorePassword);
    const issuer = generateKeyPairSync("ec", { namedCurve: "P-256" });
    await writeFile(issuerFile, issuer.publicKey.export({ type: "spki", format: "pem" }));

    const nodePassword = secrets.add("password of the node", randomBytes(8).toString("hex"));
    secrets.add("password of the database", new URL(database.url).password);
    const variables: EnvironmentVariables = {
      LOG_LEVEL: "debug",
      DATABASE_URL: database.url,
      RPC_URL: chain.proxy.url.replace("//", `//sealbook:${nodePassword}@`),
      RELAYER_KEYSTORE_FILE: keystoreFile,
      RELAYER_KEYSTORE_PASSWORD_FILE: passwordFile,
      ADMIN_KEY: chain.variables.ADMIN_KEY ?? "",
      API_AUTH: "apikey,jwt",
      API_AUTH_EXEMPT: "metrics",
      JWT_KEY: issuerFile,
      JWT_ALGORITHM: "ES256",
      JWT_ISSUER: ISSUER,
      ALERT_WEBHOOKS: `${webhook}?key=${secrets.add("key of a webhook", randomBytes(8).toString("hex"))},http://hook:${secrets.add("password of a webhook", randomBytes(8).toString("hex"))}@127.0.0.1:1/`,
      ALERT_WEBHOOK_SECRET: secrets.add("secret of the webhooks", `webhook ${randomBytes(16).toString("hex")}`),
      PROOF_WAIT: "1",
      CHAIN_WAIT: "10",
    };
    const start = async (changed: EnvironmentVariables = {}): Promise<ServerProcess> => {
      const server = await startProcess(chain.directory, { ...variables, ...changed });
      processes.push(server);
      return server;
    };
    /** Collects error responses; successful ones contain the tokens and key of a session. */
    const keep = ({ status, headers, text: body }: HttpResponse): void => {
      if (status >= 400) written.push({ way: "error", text: JSON.stringify([...headers]) + body });
    };
    const session = (name: string, response: HttpResponse): string => {
      const token = secrets.add(`token ${name}`, String(response.body?.content?.tparams?.tx));
      assert.match(token, /^0x[0-9a-f]{64}$/, response.text);
      secrets.add(`secure key ${name}`, String(response.body.content.tparams.pkey));
      return token;
    };
    const script = async (name: string, ...args: string[]): Promise<ParsedJson> => {
      const env = { ...SURROUNDINGS, DATA_DIR: chain.directory, ...variables };
      return JSON.parse((await run(process.execPath, [SEALBOOK, name, ...args, "--json"], { env })).stdout);
    };
    const jwt = (expires: number): Promise<string> =>
      new SignJWT({
        iss: ISSUER,
        aud: "sealbook",
        exp: Math.floor(Date.now() / 1000) + expires,
        scope: "sealbook:write",
      })
        .setProtectedHeader({ alg: "ES256" })
        .sign(issuer.privateKey);

    try {
      let server = await start();
      const account = await script("account", "create");
      secrets.add("password of the account", account.password);
      const { key } = await script("apikey", "create", "a test");
      const apiKey = { "X-API-Key": key };
      secrets.add("API key", key.split("_")[2]);
      const bearer = secrets.add("JWT", await jwt(600));
      const stale = secrets.add("expired JWT", await jwt(-600));
      const wrong = secrets.add("wrong password", `wrong ${randomBytes(8).toString("hex")}`);

      const use = async (round: string): Promise<void> => {
        let token = session(
          `${round} login`,
          await server.call(ROUTES.auth, { login: account.login, password: account.password }),
        );
        const record = {
          code: "station",
          topic: "PM2.5",
          payload: { sensorvalue: 1, sensordevice: "x", enrichment: { position: { lng: 1, lat: 1 }, title: "t" } },
        };
        keep(await server.call(ROUTES.store, { token }, record));
        token = session(`${round} validate`, await server.call(ROUTES.validate, { token }));
        keep(await server.call(ROUTES.store, { token }, { code: wrong }));
        keep(await server.call(ROUTES.search, { token }, { search: { target: "9", value: account.password } }));
        token = session(`${round} extend`, await server.call(ROUTES.extend, { token }));
        keep(await server.call("/api/nothing", { token, password: account.password }));
        keep(await server.call(ROUTES.close, { token }, undefined, { Cookie: `svcauth=0x${"1".repeat(64)}` }));
        keep(await server.call(ROUTES.close, { token }));
        keep(await server.call(ROUTES.store, { token }, record));
      };
      await use("first");
      keep(await server.call(ROUTES.auth, { login: account.login, password: wrong }));
      keep(await server.call(ROUTES.auth, { login: wrong, password: wrong }));
      keep(await server.call(ROUTES.auth, { login: account.login, password: [account.password] }));
      keep(await server.post("/api", `{"credentials":{"password":"${account.password}"`));
      for (const headers of [
        apiKey,
        { Authorization: `Bearer ${bearer}` },
        { Authorization: `Bearer ${stale}` },
        { "X-API-Key": key.slice(0, -1) },
        { Authorization: `Basic ${wrong}` },
      ]) {
        keep(await server.post("/api/v1/proof", freshDocuments(1)[0], headers));
        keep(await server.post("/api/v1/proof", `{"document_id": "${key}`, headers));
        for (const path of ["/api/v1/status", "/api/v1/alerts", `/api/v1/nothing?key=${key}`])
          keep(await server.get(path, { headers }));
        // The caller who requests a document of such a name gets the error; no other caller does.
        await server.get(`/api/v1/proof/${encodeURIComponent(bearer)}`, { headers });
      }
      written.push({ way: "metrics", text: (await server.get("/metrics")).text });

      // The node goes, which is an alert; the server crashes, and comes back without it.
      chain.proxy.mode = "off";
      keep(await server.post("/api/v1/proof", freshDocuments(1)[0], apiKey));
      keep(await server.call(ROUTES.auth, { login: account.login, password: account.password }));
      await eventually(async () => assert.isAbove(outputs.length, 0));
      written.push({ way: "metrics", text: (await server.get("/metrics")).text });
      await server.end("SIGKILL");
      server = await start();
      keep(await server.get("/api/v1/status", { headers: apiKey }));
      chain.proxy.mode = "pass";
      await eventually(async () =>
        assert.notEqual((await server.get("/api/v1/status", { headers: apiKey })).body.status, "down"),
      );
      await use("second");
      written.push({ way: "metrics", text: (await server.get("/metrics")).text });
      assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });

      // Errors at the start do not contain the value.
      await writeFile(passwordFile, wrong);
      const broken = new URL(database.url);
      broken.password = secrets.add("wrong password of the database", randomBytes(8).toString("hex"));
      const malformedKey = secrets.add("malformed key", randomBytes(40).toString("hex"));
      for (const changed of [
        { DATABASE_URL: broken.href },
        {},
        { RPC_URL: `ftp://x:${nodePassword}@host` },
        { DATABASE_URL: database.url.replace("postgres:", "mysql:") },
        { ALERT_WEBHOOKS: `x:${wrong}` },
        { ADMIN_KEY: malformedKey },
        { ALERT_WEBHOOK_SECRET: wrong.slice(0, 15) },
      ]) {
        const { code, output } = await failToStart(chain.directory, { ...variables, ...changed });
        assert.equal(code, 1, output);
        written.push({ way: "refusal to start", text: output });
      }
      written.push({ way: "webhook", text: outputs.join("\n") });
      for (const { output } of processes) written.push({ way: "log", text: output() });

      assert.isAbove(secrets.size, 20);
      for (const way of ["error", "metrics", "refusal to start", "webhook", "log"]) {
        const all = written
          .filter((each) => each.way === way)
          .map((each) => each.text)
          .join("\n");
        assert.isAbove(all.length, 500, way);
        assert.isEmpty(secrets.in(all), `in ${way}`);
      }
      assert.include(await readFile(keystoreFile, "utf8"), address.slice(2).toLowerCase());
    } finally {
      for (const server of processes) await server.end("SIGKILL").catch(() => undefined);
      receiver.close();
      await chain.close();
      await database.remove();
    }
  });
});
