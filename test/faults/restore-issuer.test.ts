import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { compactVerify, createLocalJWKSet } from "jose";
import { IssuerKeys, issuerKeysFile } from "../../server/issuer/issuer-keys.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { anchored } from "../support/anchored.ts";
import { FolderStore } from "../../server/journal/replication/folder-store.ts";
import { unpackTexts } from "../../server/journal/entries/row-body.ts";
import { replicaObjects } from "../../server/journal/replication/replica-reader.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { runJournalScript } from "../support/journal-script.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { thrownBy } from "../support/thrown.ts";

const PASSWORD = "correct horse battery staple";
const DOCUMENT = { document_id: "kept", hash: createHash("sha256").update("kept").digest("hex") };

/** Returns a key as the journal has it: the uncompressed point, in hex. */
function pointOf({ x, y }: ParsedJson): string {
  return `04${[x, y].map((each: string) => Buffer.from(each, "base64url").toString("hex")).join("")}`;
}

/** Returns all lines of a replica. */
async function linesIn(path: string): Promise<string> {
  const store = new FolderStore({ name: "replica", path, mountPoint: false });
  const objects = await Array.fromAsync(replicaObjects(store, undefined));
  return objects.flatMap(({ rows }) => rows.flatMap(({ body }) => unpackTexts(body))).join("\n");
}

async function attested(server: TestServer): Promise<ParsedJson> {
  const { status, body, text } = await server.post("/api/v1/recovery/attest", {
    document_id: DOCUMENT.document_id,
    audience: "court",
  });
  assert.equal(status, 200, text);
  return body;
}

async function keySet(server: TestServer): Promise<ParsedJson> {
  return (await server.get("/.well-known/jwks.json")).body;
}

const FAST_REPLICA = { journal: { replicaIntervalMilliseconds: 1_000 } };

describe("the issuer's keys after the loss of the disk", () => {
  let root: string;
  let directory: string;
  let replica: string;
  let passwordFile: string;
  beforeEach(async () => {
    root = await temporaryDirectory();
    [directory, replica, passwordFile] = [join(root, "data"), join(root, "replica"), join(root, "password")];
    await mkdir(replica);
    await writeFile(passwordFile, `${PASSWORD}\n`);
  });
  afterEach(() => removeDirectory(root));

  const variables = (password: boolean): EnvironmentVariables => ({
    REPLICA_TARGETS: `file://${replica}`,
    ...(password ? { ISSUER_KEY_PASSWORD_FILE: passwordFile } : {}),
  });

  /** Issues with two keys, and loses everything except for chain and replica. Returns the two attestations. */
  async function issueAndLose(password: boolean): Promise<[ParsedJson, ParsedJson]> {
    const server = await startServer(variables(password), { directory, settings: FAST_REPLICA });
    await anchored(server, "/api/v1/proof", DOCUMENT);
    const first = await attested(server);
    const file = issuerKeysFile(directory);
    await (await IssuerKeys.open(file, password ? { password: PASSWORD } : {})).rotate();
    const second = await attested(server);
    assert.notEqual(first.kid, second.kid);
    await eventually(async () => {
      const lines = await linesIn(replica);
      for (const { statement } of [first, second]) assert.include(lines, pointOf(statement.issuer.public_key));
    });
    await server.stop("keep");
    for (const name of ["chain", "keys.json", "journal.key"])
      await cp(join(directory, name), join(root, name), { recursive: true });
    await rm(directory, { recursive: true });
    await mkdir(directory);
    for (const name of ["chain", "keys.json", "journal.key"])
      await cp(join(root, name), join(directory, name), { recursive: true });
    const restored = await runJournalScript(
      { DATA_DIR: directory, CHAIN_PORT: "0" },
      "restore",
      "--from",
      `file://${replica}`,
    );
    assert.equal(restored.code, 0, restored.err);
    return [first, second];
  }

  /** Both statements verify with the published keys. */
  async function verifyAll(server: TestServer, statements: readonly ParsedJson[]): Promise<void> {
    const keys = createLocalJWKSet(await keySet(server));
    for (const { attestation } of statements) await compactVerify(attestation, keys);
  }

  it("are published again, and sign again with their password", async () => {
    const [first, second] = await issueAndLose(true);
    const server = await startServer(variables(true), { directory, settings: FAST_REPLICA });
    try {
      await verifyAll(server, [first, second]);
      const third = await attested(server);
      assert.equal(third.kid, second.kid, "the former key signs again");
      await verifyAll(server, [third]);
      assert.deepEqual(
        (await keySet(server)).keys.map(({ kid }: ParsedJson) => kid),
        [second.kid, first.kid],
      );
    } finally {
      await server.stop("keep");
    }
    // Neither data folder nor replica has a private key as it is.
    const file = await readFile(issuerKeysFile(directory), "utf8");
    assert.notInclude(file, "private_key");
    assert.include(file, "scrypt");
    const keystores = Array.from(
      (await linesIn(replica)).matchAll(/"kind":"issuer_key".*"keystore":(.*),"created_at"/g),
    );
    assert.lengthOf(keystores, 2);
    for (const [, keystore = ""] of keystores) assert.include(JSON.parse(JSON.parse(keystore)).Crypto.kdf, "scrypt");
  });

  it("do not sign with another password, which the server logs", async () => {
    await issueAndLose(true);
    await writeFile(passwordFile, "another");
    const { message } = await thrownBy(startServer(variables(true), { directory, settings: FAST_REPLICA }));
    assert.include(message, "ISSUER_KEY_PASSWORD_FILE does not decrypt the issuer's key");
    assert.notInclude(await readdir(directory), "issuer-keys.json");
  });

  it("are published again without a password, and a new key signs", async () => {
    const [first, second] = await issueAndLose(false);
    assert.notMatch(await linesIn(replica), /"kind":"issuer_key".*"keystore":"/);
    const server = await startServer(variables(false), { directory, settings: FAST_REPLICA });
    try {
      await verifyAll(server, [first, second]);
      const third = await attested(server);
      assert.notInclude([first.kid, second.kid], third.kid);
      await verifyAll(server, [first, second, third]);
    } finally {
      await server.stop("keep");
    }
  });
});
