import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { encryptKeystoreJson, Wallet } from "ethers";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { makeAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments } from "../support/exactly-once.ts";
import { hang, only, SEND } from "../support/faulty-proxy.ts";
import { startLoad } from "../support/load.ts";
import { startProcess } from "../support/process.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { FAST_RECHECK, startServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { startTlsProxy } from "../support/tls-proxy.ts";
import { startLocalSigner } from "../support/web3-signer.ts";

const PASSWORD = "correct horse battery staple";
const run = promisify(execFile);

describe("the relayer's key", () => {
  let chain: RemoteChain;
  let key: string;
  beforeEach(async () => {
    chain = await startRemoteChain();
    key = chain.variables.RELAYER_KEY ?? "";
  });
  afterEach(() => chain.close());

  /** Variables of the server when the key is not in the environment. */
  const without = (): EnvironmentVariables => {
    const { RELAYER_KEY: _, ...others } = chain.variables;
    return others;
  };
  const keystore = async (): Promise<EnvironmentVariables> => {
    const [file, password] = [join(chain.directory, "relayer.json"), join(chain.directory, "relayer.password")];
    const { address, privateKey } = new Wallet(key);
    await writeFile(file, await encryptKeystoreJson({ address, privateKey }, PASSWORD, { scrypt: { N: 1 << 12 } }));
    await writeFile(password, `${PASSWORD}\n`);
    return { ...without(), RELAYER_KEYSTORE_FILE: file, RELAYER_KEYSTORE_PASSWORD_FILE: password };
  };
  const command = async (variables: EnvironmentVariables, ...args: string[]): Promise<string> => {
    const env = { ...SURROUNDINGS, DATA_DIR: chain.directory, ...variables };
    return (await run(process.execPath, [SEALBOOK, "relayer", ...args], { env })).stdout;
  };
  const relayer = async (variables: EnvironmentVariables, ...args: string[]) =>
    JSON.parse(await command(variables, ...args, "--json"));

  it("is read from a keystore; errors do not contain its content", async () => {
    const variables = await keystore();
    const server = await startServer(variables, { directory: chain.directory });
    const accepted = freshDocuments(3);
    await server.post("/api/v1/proof/batch", { documents: accepted });
    await assertExactlyOnce(server, chain.url, { accepted });
    assert.equal((await server.get("/api/v1/status")).body.relayer.address, chain.relayer);
    await server.stop("keep");

    const refusal = async (changed: EnvironmentVariables): Promise<string> =>
      String(
        await startServer({ ...variables, ...changed }, { directory: chain.directory }).catch(
          (error: unknown) => error,
        ),
      );
    const other = join(chain.directory, "other");
    await writeFile(other, "another password");
    const wrong = await refusal({ RELAYER_KEYSTORE_PASSWORD_FILE: other });
    assert.match(wrong, /RELAYER_KEYSTORE_PASSWORD_FILE: .* does not open /);
    assert.notInclude(wrong, "another password");
    assert.match(await refusal({ RELAYER_KEYSTORE_FILE: other }), /is not a keystore/);
    assert.match(await refusal({ RELAYER_KEYSTORE_FILE: `${other}-nowhere` }), /RELAYER_KEYSTORE_FILE: ENOENT/);
    assert.match(await refusal({ ADMIN_KEY: key }), /ADMIN_KEY is the relayer's key too/);
  });

  // Security, node: the signer cannot pass anything but a signature of its key
  it("is a signer's with the Web3Signer API, also during outages, timeouts and wrong signatures", async () => {
    const signer = await startLocalSigner([Wallet.createRandom().privateKey, key]);
    const variables = { ...without(), RELAYER_SIGNER_URL: signer.url, RELAYER_ADDRESS: chain.relayer, PROOF_WAIT: "1" };
    const other = await startServer(
      { ...variables, RELAYER_ADDRESS: Wallet.createRandom().address },
      { directory: chain.directory },
    ).catch((error: unknown) => error);
    assert.match(String(other), /RELAYER_ADDRESS: the signer at RELAYER_SIGNER_URL has no key of/);
    const server = await startServer(variables, { directory: chain.directory, overrides: FAST_RECHECK });
    const accepted = freshDocuments(1);
    await anchored(server, "/api/v1/proof", accepted[0] ?? assert.fail());
    for (const mode of ["off", "hang", "wrong"] as const) {
      signer.mode = mode;
      const documents = freshDocuments(2);
      assert.equal((await server.post("/api/v1/proof/batch", { documents })).status, 202, mode);
      accepted.push(...documents);
      // The journal does not wait for a signature.
      assert.equal((await server.get("/api/v1/status")).body.journal.pending, 2);
      signer.mode = "pass";
      await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.journal.pending, 0));
    }
    await assertExactlyOnce(server, chain.url, { accepted });
    assert.isAtLeast(signer.signed, 4);
    await server.stop("keep");
    await signer.close();
  });

  // Security, node: the connection to the signer: cannot impersonate the signer
  it("is a signer's over TLS, authenticated by authority and client certificate", async () => {
    const authority = await makeAuthority(chain.directory, "signers");
    const [shown, renewed, client] = [
      await authority.issue("signer"),
      await authority.issue("renewed"),
      await authority.issue("relayer"),
    ];
    const signer = await startLocalSigner([key]);
    const proxy = await startTlsProxy(Number(new URL(signer.url).port), shown, authority);
    const variables = {
      ...without(),
      RELAYER_SIGNER_URL: `https://127.0.0.1:${proxy.port}`,
      RELAYER_ADDRESS: chain.relayer,
      PROOF_WAIT: "2",
      RPC_TLS_CA_FILE: authority.certificateFile,
      RPC_TLS_CERT_FILE: client.certificateFile,
      RPC_TLS_KEY_FILE: client.keyFile,
    };
    const refusal = async (
      changed: EnvironmentVariables,
      ...left: readonly (keyof EnvironmentVariables)[]
    ): Promise<string> => {
      const settings = Object.fromEntries(
        Object.entries({ ...variables, ...changed }).filter(([name]) => !left.some((each) => each === name)),
      );
      return String(await startServer(settings, { directory: chain.directory }).catch((error: unknown) => error));
    };
    assert.match(
      await refusal({}, "RPC_TLS_CA_FILE"),
      /does not return its keys: no TLS connection to the signer \(RPC_TLS_CA_FILE, RPC_TLS_CERT_FILE\): .*certificate/,
    );
    assert.match(
      await refusal({}, "RPC_TLS_CERT_FILE", "RPC_TLS_KEY_FILE"),
      /no TLS connection to the signer \(RPC_TLS_CA_FILE, RPC_TLS_CERT_FILE\): .*certificate/,
    );
    assert.match(
      await refusal({ RPC_TLS_KEY_FILE: shown.keyFile }),
      /RPC_TLS_CERT_FILE, RPC_TLS_KEY_FILE and RPC_TLS_CA_FILE: /,
    );

    const server = await startServer(variables, { directory: chain.directory, overrides: FAST_RECHECK });
    const accepted = freshDocuments(1);
    await server.post("/api/v1/proof", accepted[0]);
    await assertExactlyOnce(server, chain.url, { accepted });
    // A certificate of another authority is not enough; what is accepted meanwhile waits.
    proxy.show(await (await makeAuthority(chain.directory, "others")).issue("other"));
    accepted.push(...freshDocuments(1));
    assert.equal((await server.post("/api/v1/proof", accepted[1])).status, 202);
    await eventually(async () =>
      assert.isTrue(server.log.some((line) => line.includes("no TLS connection to the signer"))),
    );
    proxy.show(renewed);
    await assertExactlyOnce(server, chain.url, { accepted });
    await server.stop("keep");
    await proxy.close();
    await signer.close();
  });

  // Security, relayer key: loses its rights with one command; the server restarts with another key
  it("is replaced by a restart with another one under load: every accepted hash is anchored once", async () => {
    const variables = await keystore();
    const server = await startProcess(chain.directory, { ...variables, PROOF_WAIT: "2" }, FAST_RECHECK);
    const load = startLoad(server);
    await load.confirms(100);

    const next = { ...variables, RELAYER_KEYSTORE_FILE: join(chain.directory, "next.json") };
    const address = (await command(next, "keystore")).trim();
    await relayer(variables, "grant", address);
    await load.end();
    const [left = assert.fail()] = freshDocuments(1);
    // The server with the new key completes what is in flight at the stop.
    chain.proxy.intercept = only([SEND], hang);
    assert.equal((await server.post("/api/v1/proof", left)).status, 202);
    assert.deepEqual(await server.end("SIGTERM"), { code: 0, signal: null });
    chain.proxy.intercept = () => "pass";

    const again = await startProcess(chain.directory, next, FAST_RECHECK);
    assert.equal((await again.get("/api/v1/status")).body.relayer.address, address);
    await assertExactlyOnce(again, chain.url, { accepted: [...load.accepted, left] });
    await relayer(variables, "revoke", chain.relayer);
    const [last = assert.fail()] = freshDocuments(1);
    assert.equal((await again.post("/api/v1/proof", last)).status, 201);
    assert.deepEqual(
      (await relayer(next, "list")).map((each: { address: string }) => each.address),
      [address],
    );
    assert.isTrue(existsSync(variables.RELAYER_KEYSTORE_FILE ?? ""), "no command deletes a key");
    await again.end("SIGTERM");
    assert.notInclude(server.output() + again.output(), PASSWORD);
  });
});
