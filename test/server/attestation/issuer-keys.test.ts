import { createPublicKey, verify } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { SealbookError } from "../../../server/errors.ts";
import { IssuerKeys, issuerKeysFile, readIssuerKeys } from "../../../server/attestation/issuer-keys.ts";
import { deriveStatementKey, statementJwk, statementKeyId } from "../../../server/attestation/statement-key.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";
import { thrownBy } from "../../support/thrown.ts";

const MESSAGE = Buffer.from("a message");

describe("the issuer's keys", () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = issuerKeysFile(join(directory, "data"));
  });
  afterEach(() => removeDirectory(directory));

  const kept = async (): Promise<ParsedJson> => JSON.parse(await readFile(file, "utf8"));
  const isSigned = (publicKey: Uint8Array, signature: Uint8Array): boolean => {
    const x = Buffer.from(publicKey).toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    return verify(null, MESSAGE, key, signature);
  };

  it("are created once, readable by the owner only, and stable", async () => {
    const made = await (await IssuerKeys.open(file)).signer();
    const again = await (await IssuerKeys.open(file)).signer();
    assert.deepEqual(again.publicKey, made.publicKey);
    assert.deepEqual(await again.sign(MESSAGE), await made.sign(MESSAGE));
    assert.isTrue(isSigned(made.publicKey, await made.sign(MESSAGE)));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const other = await IssuerKeys.open(issuerKeysFile(join(directory, "other")));
    assert.notDeepEqual((await other.signer()).publicKey, made.publicKey);
  });

  it("are rotated: the old private key is deleted, the old public key stays", async () => {
    const keys = await IssuerKeys.open(file);
    const first = await keys.signer();
    const [{ private_key }] = (await kept()).keys;
    await keys.rotate();
    await keys.rotate();
    const [newest, second, oldest, ...others] = await keys.keys();
    assert.isEmpty(others);
    assert.deepEqual((await keys.signer()).publicKey, newest?.publicKey);
    assert.deepEqual(oldest?.publicKey, first.publicKey);
    assert.isUndefined(newest?.retiredAt);
    assert.equal(oldest?.retiredAt, second?.createdAt);
    assert.equal(second?.retiredAt, newest?.createdAt);
    assert.notInclude(await readFile(file, "utf8"), private_key);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.lengthOf(
      (await kept()).keys.filter((key: object) => "private_key" in key),
      1,
    );
  });

  it("are reloaded after an external change", async () => {
    const [server, command] = [await IssuerKeys.open(file), await IssuerKeys.open(file)];
    const old = await server.signer();
    await command.rotate();
    assert.deepEqual((await server.signer()).publicKey, (await command.signer()).publicKey);
    assert.lengthOf(await server.keys(), 2);
    // What was begun with the key before is still signed with it.
    assert.isTrue(isSigned(old.publicKey, await old.sign(MESSAGE)));
  });

  describe("with a password", () => {
    it("are encrypted in place, and sign as before", async () => {
      const plain = await (await IssuerKeys.open(file)).signer();
      const encrypted = await (await IssuerKeys.open(file, { password: "secret" })).signer();
      assert.deepEqual(encrypted.publicKey, plain.publicKey);
      assert.deepEqual(encrypted.statementKey.publicKey, plain.statementKey.publicKey);
      const [key] = (await kept()).keys;
      assert.hasAllKeys(key, ["created_at", "public_key", "statement_key", "keystore"]);
      assert.equal(JSON.parse(key.keystore).Crypto.kdfparams.n, 131_072);
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      for (const deps of [{}, { password: "another" }]) {
        const error = await thrownBy(IssuerKeys.open(file, deps));
        assert.propertyVal(error, "code", "config_invalid");
        assert.match(error.message, /ISSUER_KEY_PASSWORD_FILE/);
      }
      assert.lengthOf(await readIssuerKeys(file), 1);
    });

    it("are followed by encrypted ones", async () => {
      const keys = await IssuerKeys.open(file, { password: "secret" });
      await keys.rotate();
      assert.notInclude(await readFile(file, "utf8"), "private_key");
      assert.lengthOf(await readIssuerKeys(file), 2);
      assert.deepEqual((await keys.signer()).publicKey, (await readIssuerKeys(file))[0]?.publicKey);
    });
  });

  it("derive the key of statements from their secret, the same one at all times", () => {
    const { publicKey } = deriveStatementKey(Buffer.alloc(32, 7));
    assert.deepEqual(statementJwk(publicKey), {
      kty: "EC",
      crv: "P-256",
      x: "9yDY7CH0RY_rLSrsB9RI0JpvekGKlL3TIDQ4jzE8LjI",
      y: "lqc7AaZySjkoeKm9FmEiqiMnuiExsGtPuetgK__T5jE",
    });
    assert.equal(statementKeyId(publicKey), "Bcehtjle2fs_NCOxHj10TYbWxhcSH7V5ocOmHhuCitc");
  });

  it("are not overwritten when their file is invalid", async () => {
    const keys = await IssuerKeys.open(file);
    const good = await kept();
    const [key] = good.keys;
    const { private_key: _, ...withoutPrivate } = key;
    const bad = [
      "",
      "{",
      "{}",
      "[]",
      '{"keys":[]}',
      JSON.stringify({ keys: [withoutPrivate] }),
      JSON.stringify({ keys: [{ ...key, private_key: "12" }] }),
      JSON.stringify({ keys: [{ ...key, public_key: "34".repeat(32) }] }),
      JSON.stringify({ keys: [{ ...key, created_at: "yesterday" }] }),
      JSON.stringify({ keys: [key, { ...withoutPrivate }] }),
    ];
    for (const text of bad) {
      await writeFile(file, text);
      for (const attempt of [IssuerKeys.open(file), keys.signer()]) {
        const error = await thrownBy(attempt);
        assert.instanceOf(error, SealbookError, text);
        assert.propertyVal(error, "code", "config_invalid");
        assert.notInclude(error.message, directory);
      }
      assert.equal(await readFile(file, "utf8"), text);
    }
    await rm(file);
    assert.match((await thrownBy(keys.signer())).message, /restore it from a backup/);
  });
});
