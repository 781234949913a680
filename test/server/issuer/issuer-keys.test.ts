import { createPublicKey, verify } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { calculateJwkThumbprint } from "jose";
import { SealbookError } from "../../../server/errors.ts";
import { IssuerKeys, issuerKeysFile, readIssuerKeys } from "../../../server/issuer/issuer-keys.ts";
import { keyIdOf, publicJwk, signingKey } from "../../../server/issuer/signing-key.ts";
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
    const key = createPublicKey({ key: { ...publicJwk(publicKey) }, format: "jwk" });
    return verify("sha256", MESSAGE, { key, dsaEncoding: "ieee-p1363" }, signature);
  };

  it("are created once, readable by the owner only, and stable", async () => {
    const made = await (await IssuerKeys.open(file)).signingKey();
    const again = await (await IssuerKeys.open(file)).signingKey();
    assert.deepEqual(again.publicKey, made.publicKey);
    assert.deepEqual(again.sign(MESSAGE), made.sign(MESSAGE));
    assert.isTrue(isSigned(made.publicKey, made.sign(MESSAGE)));
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const other = await IssuerKeys.open(issuerKeysFile(join(directory, "other")));
    assert.notDeepEqual((await other.signingKey()).publicKey, made.publicKey);
  });

  it("are rotated: the old private key is deleted, the old public key stays", async () => {
    const keys = await IssuerKeys.open(file);
    const first = await keys.signingKey();
    const [{ private_key }] = (await kept()).keys;
    await keys.rotate();
    await keys.rotate();
    const [newest, second, oldest, ...others] = await keys.list();
    assert.isEmpty(others);
    assert.deepEqual((await keys.signingKey()).publicKey, newest?.publicKey);
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
    const old = await server.signingKey();
    await command.rotate();
    assert.deepEqual((await server.signingKey()).publicKey, (await command.signingKey()).publicKey);
    assert.lengthOf(await server.list(), 2);
    // What was begun with the key before is still signed with it.
    assert.isTrue(isSigned(old.publicKey, old.sign(MESSAGE)));
  });

  describe("with a password", () => {
    it("are encrypted in place, and sign as before", async () => {
      const plain = await (await IssuerKeys.open(file)).signingKey();
      const encrypted = await (await IssuerKeys.open(file, { password: "secret" })).signingKey();
      assert.deepEqual(encrypted.publicKey, plain.publicKey);
      assert.deepEqual(encrypted.sign(MESSAGE), plain.sign(MESSAGE));
      const [key] = (await kept()).keys;
      assert.hasAllKeys(key, ["created_at", "public_key", "keystore"]);
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
      assert.deepEqual((await keys.signingKey()).publicKey, (await readIssuerKeys(file))[0]?.publicKey);
    });
  });

  it("have the public key, the id and the signatures that the standards give them", async () => {
    // RFC 6979, appendix A.2.5; the id by RFC 7638.
    const { publicKey, sign } = signingKey(
      Buffer.from("C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721", "hex"),
    );
    const jwk = publicJwk(publicKey);
    assert.deepEqual(jwk, {
      kty: "EC",
      crv: "P-256",
      x: Buffer.from("60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6", "hex").toString("base64url"),
      y: Buffer.from("7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299", "hex").toString("base64url"),
    });
    assert.equal(
      Buffer.from(sign(Buffer.from("test")))
        .toString("hex")
        .toUpperCase(),
      "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367" +
        "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083",
    );
    assert.equal(keyIdOf(publicKey), await calculateJwkThumbprint({ ...jwk }));
    for (const number of [0, 255]) assert.throws(() => signingKey(Buffer.alloc(32, number)));
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
      JSON.stringify({ keys: [{ ...key, public_key: "34".repeat(65) }] }),
      JSON.stringify({ keys: [{ ...key, private_key: "ff".repeat(32) }] }),
      JSON.stringify({ keys: [{ ...key, created_at: "yesterday" }] }),
      JSON.stringify({ keys: [key, { ...withoutPrivate }] }),
    ];
    for (const text of bad) {
      await writeFile(file, text);
      for (const attempt of [IssuerKeys.open(file), keys.signingKey()]) {
        const error = await thrownBy(attempt);
        assert.instanceOf(error, SealbookError, text);
        assert.propertyVal(error, "code", "config_invalid");
        assert.notInclude(error.message, directory);
      }
      assert.equal(await readFile(file, "utf8"), text);
    }
    await rm(file);
    assert.match((await thrownBy(keys.signingKey())).message, /restore it from a backup/);
  });
});
