import { copyFile, writeFile } from "node:fs/promises";
import { Agent, request as httpsRequest } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect, type TLSSocket } from "node:tls";
import { assert } from "chai";
import { type Authority, type IssuedCertificate, makeAuthority } from "../support/certificates.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { ROUTES, startServer, type TestServer } from "../support/server.ts";

interface TlsResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: ParsedJson;
  /** Of the certificate that the server has shown. */
  readonly fingerprint: string;
}

describe("TLS", function () {
  let directory: string;
  let authority: Authority;
  let first: IssuedCertificate;
  let second: IssuedCertificate;
  let variables: { readonly TLS_CERT_FILE: string; readonly TLS_KEY_FILE: string };
  let server: TestServer;
  before(async () => {
    directory = await temporaryDirectory();
    authority = await makeAuthority(directory);
    [first, second] = [await authority.issue("first"), await authority.issue("second")];
    variables = { TLS_CERT_FILE: join(directory, "server.pem"), TLS_KEY_FILE: join(directory, "server.key") };
    await install(first);
    server = await startServer(variables);
  });
  after(async () => {
    await server.stop();
    await removeDirectory(directory);
  });

  const install = async ({ certificateFile, keyFile }: IssuedCertificate): Promise<void> => {
    await copyFile(certificateFile, variables.TLS_CERT_FILE);
    await copyFile(keyFile, variables.TLS_KEY_FILE);
  };

  const send = (path: string, body?: unknown, agent: Agent | false = false): Promise<TlsResponse> =>
    new Promise((resolve, reject) => {
      const headers = { "Content-Type": "application/json" };
      const request = httpsRequest(
        `${server.url}${path}`,
        { method: body === undefined ? "GET" : "POST", headers, agent, ca: authority.certificate },
        (response) => {
          // Read at once: a connection that is given back has none.
          const { fingerprint256: fingerprint } = (response.socket as TLSSocket).getPeerCertificate();
          const { statusCode: status, headers } = response;
          text(response).then(
            (content) =>
              resolve({ status, headers, body: content.startsWith("{") ? JSON.parse(content) : content, fingerprint }),
            reject,
          );
        },
      );
      request.once("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  const shown = async (): Promise<string> => (await send("/livez")).fingerprint;
  const occurrences = (sentence: string): number => server.log.filter((line) => line.includes(sentence)).length;

  // Security, network: cannot read or change traffic with TLS
  it("has the version 1.2 or later, and links and cookies use it", async () => {
    assert.match(server.url, /^https:\/\/127\.0\.0\.1:/);
    assert.equal(await shown(), first.fingerprint);
    const { port } = new URL(server.url);
    const protocol = (
      version: "TLSv1.1" | "TLSv1.2" | "TLSv1.3",
      ciphers = "DEFAULT@SECLEVEL=0",
    ): Promise<string | null> =>
      new Promise((resolve, reject) => {
        const options = {
          port: Number(port),
          host: "127.0.0.1",
          ca: authority.certificate,
          minVersion: version,
          maxVersion: version,
          ciphers,
        };
        const socket = connect(options, () => {
          resolve(socket.getProtocol());
          socket.destroy();
        });
        socket.once("error", reject);
      });
    assert.equal(await protocol("TLSv1.2"), "TLSv1.2");
    assert.equal(await protocol("TLSv1.3"), "TLSv1.3");
    assert.equal(await protocol("TLSv1.2", "ECDHE+AESGCM"), "TLSv1.2");
    // A recorded connection must stay unreadable with the server's key, obtained later.
    for (const suite of ["AES128-GCM-SHA256", "AES256-SHA256", "ECDHE-ECDSA-AES128-SHA", "ECDHE-RSA-AES128-SHA256"]) {
      assert.match(String(await protocol("TLSv1.2", suite).catch((error: unknown) => error)), /alert/i, suite);
    }
    assert.equal((await send("/livez")).headers["strict-transport-security"], "max-age=31536000");
    assert.match(String(await protocol("TLSv1.1").catch((error: unknown) => error)), /alert|version/i);

    const [document] = freshDocuments(1);
    const { body } = await send("/api/v1/proof", document);
    assert.isTrue(String(body.verification_url).startsWith(`${server.url}/`));
    const login = await send("/api", { method: "GET", route: ROUTES.auth, credentials: server.demo });
    assert.match(String(login.headers["set-cookie"]), /^svcauth=0x[0-9a-f]{64};.*; HttpOnly; Secure; SameSite=Strict/);
  });

  it("loads a new certificate under load, without a dropped connection", async () => {
    const kept = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.certificate });
    const before = await send("/livez", undefined, kept);
    assert.equal(before.fingerprint, first.fingerprint);
    let ended = false;
    let accepted = 0;
    const fingerprints = new Set<string>();
    const client = async (agent: Agent | false): Promise<void> => {
      while (!ended) {
        const { status, fingerprint } = await send("/api/v1/proof", freshDocuments(1)[0], agent);
        assert.equal(status, 201);
        fingerprints.add(fingerprint);
        accepted += 1;
      }
    };
    const clients = Promise.all([
      client(false),
      client(false),
      client(new Agent({ keepAlive: true, ca: authority.certificate })),
    ]);
    await install(second);
    await Promise.race([clients, eventually(async () => assert.equal(await shown(), second.fingerprint))]);
    const sofar = accepted;
    await eventually(async () => assert.isAbove(accepted, sofar + 10));
    ended = true;
    await clients;
    assert.sameMembers([...fingerprints], [first.fingerprint, second.fingerprint]);
    assert.equal(
      (await send("/livez", undefined, kept)).fingerprint,
      first.fingerprint,
      "a connection that was open goes on",
    );
    kept.destroy();
    assert.equal(occurrences("there is a new certificate"), 1);
  });

  it("rejects an invalid new certificate, logs it once, and keeps the old one", async () => {
    const refused = "the new certificate cannot be used";
    const expired = await authority.issue("expired", -1);
    const breaks: readonly (() => Promise<void>)[] = [
      () => writeFile(variables.TLS_CERT_FILE, "no certificate"),
      () => copyFile(first.certificateFile, variables.TLS_CERT_FILE),
      () => install(expired),
    ];
    for (const [index, breakIt] of breaks.entries()) {
      await breakIt();
      await eventually(async () => assert.equal(occurrences(refused), index + 1));
      assert.equal(await shown(), second.fingerprint);
    }
    await install(first);
    await eventually(async () => assert.equal(await shown(), first.fingerprint));
    assert.equal(occurrences(refused), breaks.length);
    assert.isFalse(server.log.some((line) => line.includes("PRIVATE KEY")));
  });

  it("exposes the expiry of the certificate as a metric", async () => {
    const { body } = await send("/metrics");
    const [, seconds] = /^sealbook_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(body) ?? [];
    assert.closeTo(Number(seconds), Date.now() / 1000 + 30 * 86_400, 120);
  });

  it("rejects invalid files at the start, and names them", async () => {
    for (const [certificate, key] of [
      [first.certificateFile, second.keyFile],
      [first.keyFile, first.keyFile],
      ["/nowhere/x.pem", first.keyFile],
    ] as const) {
      const refusal = await startServer({ TLS_CERT_FILE: certificate, TLS_KEY_FILE: key }).catch(
        (error: unknown) => error,
      );
      assert.match(String(refusal), /TLS_CERT_FILE and TLS_KEY_FILE: /);
    }
  });
});
