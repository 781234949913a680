import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { exportJWK, SignJWT } from "jose";
import { ProofClient } from "../../client/index.ts";
import { credentialHeaders } from "../../scripts/proofs/server-client.ts";
import { type Outcome, runScriptWith } from "../scripts/proofs-support.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { HttpResponse } from "../support/http.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { withoutProgress } from "../support/without-progress.ts";

const run = promisify(execFile);

const document = () => ({
  document_id: `access ${randomBytes(4).toString("hex")}`,
  hash: randomBytes(32).toString("hex"),
});

function problem({ status, body, headers }: HttpResponse, expected: number): void {
  assert.equal(status, expected, JSON.stringify(body));
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.equal(body.status, expected);
}

describe("access to the integrity-proof API", function () {
  describe("by network", function () {
    let server: TestServer;
    before(async () => {
      server = await startServer({ ALLOWED_NETWORKS: "10.1.0.0/16,2001:db8::/32", TRUSTED_PROXIES: "127.0.0.1" });
    });
    after(() => server.stop());
    const from = (address: string, path = "/api/v1/status") =>
      server.get(path, { headers: { "X-Forwarded-For": address } });

    it("is limited to the allowed networks, with the address from the trusted proxy", async () => {
      for (const inside of ["10.1.2.3", "2001:db8::1", "::ffff:10.1.255.255"])
        assert.equal((await from(inside)).status, 200, inside);
      for (const outside of ["10.2.0.1", "127.0.0.1", "8.8.8.8", "2001:db9::1", "nonsense"])
        problem(await from(outside), 403);
    });

    // Security, network: cannot use the integrity-proof API or the metrics from outside the allowed networks
    // Security, network: cannot spoof an address inside the allowed networks
    it("trusts one proxy only: addresses claimed by callers are ignored", async () => {
      problem(await from("10.1.2.3, 8.8.8.8"), 403);
      assert.equal((await from("8.8.8.8, 10.1.2.3")).status, 200);
    });

    it("covers every path of the API and the metrics, not the record store", async () => {
      for (const path of [
        "/api/v1/verify?hash=00",
        "/api/v1/recovery/inventory",
        "/api/v1/nothing",
        "/metrics",
        "/explorer/api/chain",
      ])
        problem(await from("8.8.8.8", path), 403);
      assert.equal(
        (
          await server.call("/api/admin/auth", { login: "x", password: "y" }, undefined, {
            "X-Forwarded-For": "8.8.8.8",
          })
        ).status,
        400,
      );
    });
  });

  it("ignores the header of a proxy that is not trusted", async () => {
    const server = await startServer({ ALLOWED_NETWORKS: "10.0.0.0/8" });
    problem(await server.get("/api/v1/status", { headers: { "X-Forwarded-For": "10.0.0.1" } }), 403);
    await server.stop();
  });

  describe("with API keys", function () {
    let server: TestServer;
    let now = Date.now();
    before(async () => {
      server = await startServer(
        { API_AUTH: "apikey" },
        { overrides: { clock: () => now }, settings: { chain: { clockLimitMilliseconds: Infinity } } },
      );
    });
    after(() => server.stop());

    const script = async (...args: string[]) => {
      const env = { ...SURROUNDINGS, DATA_DIR: server.directory };
      return (await run(process.execPath, [SEALBOOK, "apikey", ...args], { env })).stdout;
    };
    const create = async (...args: string[]): Promise<{ key: string; id: string }> =>
      JSON.parse(await script("create", "a test", "--json", ...args));
    const request = (key?: string, path = "/api/v1/status") =>
      server.get(path, { headers: key === undefined ? {} : { "X-API-Key": key } });

    it("rejects a missing or wrong key", async () => {
      const { key } = await create();
      const forged = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
      const unknown = key.replace(/^sbk_.{12}/, `sbk_${"0".repeat(12)}`);
      for (const wrong of [undefined, "", "sbk_", forged, unknown, key.toUpperCase(), `${key} `.repeat(2)]) {
        const response = await request(wrong);
        problem(response, 401);
        assert.match(response.headers.get("www-authenticate") ?? "", /^ApiKey /);
        assert.notInclude(response.text, "sbk_");
      }
      assert.equal((await request(key)).status, 200);
    });

    // Security, network: cannot use protected routes without a key, nor write with a `read` key
    it("allows queries and no writes with a read key, however the path is written", async () => {
      const { key } = await create("--scope", "read");
      const headers = { "X-API-Key": key };
      for (const path of [
        "/api/v1/proof",
        "/api/v1/PROOF",
        "/api/v1/proof/",
        "/api/v1/proof/batch",
        "/api/v1/recovery/attest",
      ])
        problem(await server.post(path, document(), headers), 403);
      assert.equal((await server.post("/api/v1/verify", { document_hash: document().hash }, headers)).status, 200);
      assert.equal((await server.post("/api/v1/Recovery/Verify", { documents: [document()] }, headers)).status, 200);
      const { key: writing } = await create();
      assert.equal((await server.post("/api/v1/proof", document(), { "X-API-Key": writing })).status, 201);
    });

    it("accepts a key until it expires or is revoked, with immediate effect", async () => {
      const { key, id } = await create("--days", "1");
      assert.equal((await request(key)).status, 200);
      now = Date.now() + 86_400_001;
      problem(await request(key), 401);
      now = Date.now();
      assert.equal((await request(key)).status, 200);
      await script("revoke", id);
      problem(await request(key), 401);
      const [row] = JSON.parse(await script("list", "--json")).filter((each: { id: string }) => each.id === id);
      assert.deepInclude(row, { name: "a test", scope: "write", state: "revoked" });
      const again = await script("revoke", id).catch((error: { stderr: string }) => error.stderr);
      assert.match(again, /there is no valid key/);
    });

    it("accepts commands with a key, and reports the missing key to others", async () => {
      const { key } = await create();
      const directory = await temporaryDirectory();
      await writeFile(join(directory, "a"), "a");
      const command = (variables: Record<string, string>, name: string, ...args: string[]): Promise<Outcome> =>
        runScriptWith({ SEALBOOK_URL: server.url, ...variables }, name, directory, ...args);
      const message = ({ code, out, err }: Outcome): string => {
        assert.notEqual(code, 0, out);
        assert.notInclude(out + err, "sbk_");
        return out + err;
      };
      const [proved, ...keyless] = await Promise.all([
        command({ SEALBOOK_API_KEY: key }, "prove", "a"),
        command({}, "recover", "."),
        command({ SEALBOOK_API_KEY: "" }, "prove", "a"),
      ]);
      assert.deepEqual([proved.code, withoutProgress(proved.err)], [0, ""]);
      const reason = "an API key or a token that is valid is needed (SEALBOOK_API_KEY or SEALBOOK_TOKEN)";
      assert.deepEqual(
        keyless.map(message),
        ["recover", "prove"].map((name) => `${name}: ${server.url} rejects the request: ${reason}\n`),
      );
      // Fetch would contain it in its error.
      assert.throws(
        () => credentialHeaders({ SEALBOOK_API_KEY: `${key}\n${key}` }),
        /^SEALBOOK_API_KEY contains characters that are invalid in keys and tokens$/,
      );
      await removeDirectory(directory);
    });

    // Security, database copy: finds API keys as digests only
    it("never writes a key to a log, the database or a list", async () => {
      const { key } = await create();
      await request(key);
      const secret = key.split("_")[2] ?? "";
      assert.isFalse(server.log.some((line) => line.includes(secret)));
      assert.notInclude(await script("list"), secret);
    });
  });

  describe("with tokens", function () {
    const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const rules = { JWT_ALGORITHM: "ES256", JWT_ISSUER: "https://login.example", JWT_AUDIENCE: "sealbook" } as const;

    const token = (
      claims: Record<string, unknown> = {},
      {
        key = keys.privateKey,
        alg = "ES256",
        kid = "one",
      }: { key?: KeyObject | Uint8Array; alg?: string; kid?: string } = {},
    ) =>
      new SignJWT({
        iss: rules.JWT_ISSUER,
        aud: rules.JWT_AUDIENCE,
        exp: Math.floor(Date.now() / 1000) + 60,
        scope: "openid sealbook:write",
        ...claims,
      })
        .setProtectedHeader({ alg, kid })
        .sign(key);

    const check = async (server: TestServer): Promise<void> => {
      const request = async (text: string | Promise<string>, scheme = "Bearer") =>
        server.get("/api/v1/status", { headers: { Authorization: `${scheme} ${await text}` } });
      assert.equal((await request(token())).status, 200);
      assert.equal((await request(token(), "bearer")).status, 200);
      const past = Math.floor(Date.now() / 1000) - 60;
      const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
      const wrong: readonly (readonly [string, string])[] = [
        ["expired", await token({ exp: past })],
        ["without an end", await token({ exp: undefined })],
        ["not valid yet", await token({ nbf: Math.floor(Date.now() / 1000) + 60 })],
        ["of another issuer", await token({ iss: "https://other.example" })],
        ["for another audience", await token({ aud: "other" })],
        ["with a number as its subject", await token({ sub: 7 })],
        ["with a number as its scope", await token({ scope: 7 })],
        ["with a list of numbers as its permissions", await token({ scope: undefined, scp: [1] })],
        ["of another key", await token({}, { key: other })],
        // The public key is public: a caller must not be able to sign with it as a secret.
        [
          "signed with the public key as a secret",
          await token({}, { key: Buffer.from(keys.publicKey.export({ type: "spki", format: "pem" })), alg: "HS256" }),
        ],
        ["unsigned", `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await token()).split(".")[1]}.`],
        ["cut", (await token()).slice(0, -3)],
        ["nothing", "x"],
      ];
      for (const [what, text] of wrong) {
        const response = await request(text);
        assert.equal(response.status, 401, what);
        assert.match(response.headers.get("www-authenticate") ?? "", /Bearer/);
        const time = /expired|not valid yet/.exec(what)?.[0];
        assert.equal(
          response.body.detail,
          time === undefined
            ? "an API key or a token that is valid is needed"
            : `the token ${time === "expired" ? "has expired" : "is not valid yet"}`,
        );
      }
      const reasons = server.log.filter((line) => line.includes("a token is refused"));
      assert.lengthOf(reasons, wrong.length);
      assert.isTrue(reasons.every((line) => JSON.parse(line).level === "info" && JSON.parse(line).reason !== ""));
      for (const claims of [{ scope: "openid" }, { scope: undefined }, { scope: undefined, scp: ["openid"] }]) {
        const response = await request(token(claims));
        assert.equal(response.status, 403, response.text);
        assert.include(response.body.detail, "neither the permission sealbook:read nor sealbook:write");
      }
      for (const scp of ["openid sealbook:read", ["openid", "sealbook:read"]])
        assert.equal((await request(token({ scope: undefined, scp }))).status, 200);
      const reading = { Authorization: `Bearer ${await token({ scope: "sealbook:read" })}` };
      problem(await server.post("/api/v1/proof", document(), reading), 403);
      assert.equal((await server.get("/api/v1/status", { headers: reading })).status, 200);
      // As the commands do.
      await new ProofClient(server.url, { headers: credentialHeaders({ SEALBOOK_TOKEN: await token() }) }).status();
      assert.isFalse(server.log.some((line) => wrong.some(([, text]) => text.length > 10 && line.includes(text))));
    };

    // Security, network: cannot use a token of another issuer, audience or algorithm
    it("verifies them with a configured key", async () => {
      const directory = await temporaryDirectory();
      const file = join(directory, "issuer.pem");
      await writeFile(file, keys.publicKey.export({ type: "spki", format: "pem" }));
      const server = await startServer({ API_AUTH: "jwt", JWT_KEY: file, ...rules });
      await check(server);
      await server.stop();
      await removeDirectory(directory);
    });

    it("verifies them with the issuer's published keys, beside API keys, and reports an outage", async () => {
      const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", use: "sig" };
      let isUnavailable = true;
      const issuer = createServer(
        (_request, response) =>
          void (isUnavailable ? response.writeHead(500).end() : response.end(JSON.stringify({ keys: [jwk] }))),
      );
      issuer.listen(0, "127.0.0.1");
      await once(issuer, "listening");
      const address = issuer.address();
      const port = typeof address === "object" ? address?.port : undefined;
      const server = await startServer({
        API_AUTH: "apikey,jwt",
        JWT_KEY: `http://127.0.0.1:${port}/jwks.json`,
        ...rules,
      });
      const headers = { Authorization: `Bearer ${await token()}` };
      problem(await server.get("/api/v1/status", { headers }), 503);
      isUnavailable = false;
      await check(server);
      problem(
        await server.get("/api/v1/status", { headers: { Authorization: `Bearer ${await token({}, { kid: "two" })}` } }),
        401,
      );
      await server.stop();
      issuer.close();
    });

    it("rejects an invalid key at the start", async () => {
      const directory = await temporaryDirectory();
      const file = join(directory, "issuer.pem");
      await writeFile(file, "no key");
      const refusal = await startServer({ API_AUTH: "jwt", JWT_KEY: file, ...rules }, { directory }).catch(
        (error: unknown) => error,
      );
      assert.match(String(refusal), /JWT_KEY/);
      await removeDirectory(directory);
    });
  });
});
