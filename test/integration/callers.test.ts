import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { SignJWT } from "jose";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { content, refused } from "../support/envelope.ts";
import { eventually } from "../support/eventually.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const run = promisify(execFile);
const SEARCH = { search: { target: "1", value: "*" } };
/** A validation and an extension of each of three sessions. */
const SESSION_RATE = 6;

describe("authenticated callers", () => {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  let directory: string;
  let server: TestServer;
  let key: string;
  let token: string;
  before(async () => {
    directory = await temporaryDirectory();
    const file = join(directory, "issuer.pem");
    await writeFile(file, keys.publicKey.export({ type: "spki", format: "pem" }));
    server = await startServer(
      {
        API_AUTH: "apikey,jwt",
        JWT_KEY: file,
        JWT_ALGORITHM: "ES256",
        JWT_ISSUER: "https://login.example",
        SESSION_LIFETIME: "3600",
      },
      { settings: { sessions: { rate: SESSION_RATE } } },
    );
    const env = { ...SURROUNDINGS, DATA_DIR: server.directory };
    key = JSON.parse(
      (await run(process.execPath, [SEALBOOK, "apikey", "create", "a test", "--scope", "read", "--json"], { env }))
        .stdout,
    ).key;
    token = await new SignJWT({ scope: "sealbook:read", sub: "ordering service" })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer("https://login.example")
      .setAudience("sealbook")
      .setExpirationTime("10m")
      .sign(keys.privateKey);
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  /** Returns the line of the access log about a request. */
  const logged = (id: string): Promise<Record<string, unknown>> =>
    eventually(async () => {
      const line = server.log.find(
        (each) => each.includes(`"request_id":"${id}"`) && each.includes("request completed"),
      );
      return JSON.parse(line ?? assert.fail("not logged"));
    });

  // Security, log: learns accounts, ids of API keys, subjects of tokens, times and amounts, locked-out addresses
  // Security, log: learns no path, header or body of a request
  it("are in the access log: the account, the id of the API key, the subject of the token", async () => {
    const id = (name: string) => ({ "X-Request-Id": name });
    await server.get("/api/v1/status", { headers: { "X-API-Key": key, ...id("by-key") } });
    await server.get("/api/v1/status", { headers: { Authorization: `Bearer ${token}`, ...id("by-token") } });
    await server.get("/api/v1/status", { headers: id("by-nobody") });
    const { login } = server.demo;
    const session = content(await server.call(ROUTES.auth, server.demo, undefined, id("by-login")), ROUTES.auth);
    const current = session.tparams.tx;
    await server.call(ROUTES.search, { token: current }, SEARCH, id("by-session"));
    assert.equal((await logged("by-key"))["api_key"], key.split("_")[1]);
    assert.equal((await logged("by-token"))["token"], "ordering service");
    for (const name of ["by-login", "by-session"]) assert.equal((await logged(name))["account"], login, name);
    const nobody = await logged("by-nobody");
    assert.equal(nobody["status"], 401);
    assert.doesNotHaveAnyKeys(nobody, ["account", "api_key", "token"]);
    for (const secret of [key.split("_")[2], token, server.demo.password, current])
      assert.isFalse(server.log.some((line) => line.includes(String(secret))));
  });

  // Security, explorer: cannot query the explorer or the metrics without a key where the API requires one
  it("need a key for the metrics and the explorer, but not for health and readiness", async () => {
    for (const path of ["/metrics", "/explorer/api/chain"]) {
      assert.equal((await server.get(path)).status, 401, path);
      assert.equal((await server.get(path, { headers: { "X-API-Key": key } })).status, 200, path);
    }
    for (const path of ["/livez", "/readyz", "/.well-known/jwks.json"])
      assert.notEqual((await server.get(path)).status, 401, path);
  });

  // Security, network: cannot make the chain grow with validations and extensions beyond the rate of an account
  it("have a rate of validations and extensions, which leaves the session as it is", async () => {
    let current = await server.login();
    for (let call = 0; call < SESSION_RATE; call += 1) {
      const route = call % 2 === 0 ? ROUTES.validate : ROUTES.extend;
      current = content(await server.call(route, { token: current }), route).tparams.tx;
    }
    const response = await server.call(ROUTES.validate, { token: current });
    refused(response, ROUTES.validate, 429, "too_many_requests");
    assert.match(response.headers.get("Retry-After") ?? "", /^[1-9]\d*$/);
    content(await server.call(ROUTES.search, { token: current }, SEARCH), ROUTES.search);
    content(await server.call(ROUTES.close, { token: current }), ROUTES.close);
  });
});

it("metrics and explorer can be exempt from the authentication", async () => {
  const server = await startServer({ API_AUTH: "apikey", API_AUTH_EXEMPT: "metrics,explorer" });
  try {
    for (const path of ["/metrics", "/explorer/api/chain"]) assert.equal((await server.get(path)).status, 200, path);
    assert.equal((await server.get("/api/v1/status")).status, 401);
  } finally {
    await server.stop();
  }
});
