import { createHash } from "node:crypto";
import { assert } from "chai";
import { signedText } from "../../server/issuer/jws.ts";
import { keyIdOf, publicJwk, signingKey } from "../../server/issuer/signing-key.ts";
import { canonicalJson } from "../../server/kit/json.ts";
import { attestationConclusion, toHex, verifyAttestation, type VerifyOptions } from "../../verifier/verify.mjs";
import type { ParsedJson } from "../support/parsed-json.ts";
import { BUNDLE_VECTORS, DOCUMENT_HASH, VALIDATORS, VECTOR_KEY } from "../vectors/bundles/vectors.ts";
import { otherForm } from "../support/forgery.ts";

const FILE = "proof-1.bundle.json";
const TYPE = "sealbook-attestation+jws";
const key = VECTOR_KEY;
const keyId = keyIdOf(key.publicKey);
const vector = (wanted: string): string =>
  BUNDLE_VECTORS.find(({ name }) => name === wanted)?.text ?? assert.fail(`there is no vector ${wanted}`);
const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

/** Returns a statement about the record of a bundle. */
function statementOf(bundle: string, block: { readonly number: number; readonly time: number }): ParsedJson {
  const { record, merkle, anchor } = JSON.parse(bundle);
  const { size = 0, ...path } = merkle ?? {};
  return {
    format: "sealbook-attestation/1",
    issued_at: 1_700_000_000,
    issuer: { name: "Issuer", key_id: keyId, public_key: publicJwk(key.publicKey) },
    chain: { chain_id: anchor.chain_id, contract: anchor.contract },
    attachments: [{ file: FILE, sha256: sha256(bundle) }],
    records: [
      {
        ...record,
        merkle: merkle && path,
        first_anchor: { timestamp: block.time, block_number: block.number, size },
        bundle: FILE,
      },
    ],
  };
}

describe("attestations in the verifier", () => {
  const sealed = vector("ibft2-batched-later-round");
  let statement: ParsedJson;
  before(async () => {
    // The block is read from the bundle's own header.
    const { header } = JSON.parse(sealed).block;
    const { decodeRlp, fromHex } = await import("../../verifier/verify.mjs");
    const fields = decodeRlp(fromHex(header));
    const number = (index: number): number => {
      const field = fields[index];
      return field instanceof Uint8Array ? parseInt(toHex(field), 16) : assert.fail("the header has no such field");
    };
    statement = statementOf(sealed, { number: number(8), time: number(11) });
  });

  const verify = async (
    content: ParsedJson,
    options: VerifyOptions & { readonly documentHash?: string },
    files: Readonly<Record<string, string>> = { [FILE]: sealed },
    signer = key,
  ) => {
    const jws = signedText(canonicalJson(content), signer, TYPE);
    return verifyAttestation(
      jws,
      async (file) => {
        const text = files[file];
        return text === undefined ? undefined : Buffer.from(text);
      },
      options,
    );
  };
  const reasonOf = async (...args: Parameters<typeof verify>): Promise<string> => {
    const { ok, steps } = await verify(...args);
    assert.isFalse(ok);
    const last = steps.at(-1);
    return last === undefined || last.ok ? assert.fail("no step failed") : `${last.title}: ${last.reason}`;
  };

  it("pass with the trusted key, with the validators, and with both", async () => {
    for (const options of [
      { trustedKey: keyId },
      { validators: VALIDATORS },
      { trustedKey: keyId, validators: VALIDATORS, documentHash: DOCUMENT_HASH },
    ]) {
      const result = await verify(statement, options);
      assert.isTrue(result.ok, JSON.stringify(result.steps.at(-1)));
      const proven = "trustedKey" in options ? "have a portable proof" : "are proven";
      if (result.ok) assert.include(attestationConclusion(result), `1 of its 1 listed records ${proven}.`);
    }
  });

  it("fail when anything follows the signature, or is in it", async () => {
    const jws = signedText(canonicalJson(statement), key, TYPE);
    for (const changed of [
      `${jws}.`,
      `${jws}.AAAA`,
      `${jws}.And more`,
      `${jws.slice(0, -5)} ${jws.slice(-5)}`,
      `.${jws}`,
    ]) {
      const { ok, steps } = await verifyAttestation(changed, async () => Buffer.from(sealed), { trustedKey: keyId });
      assert.isFalse(ok, changed);
      assert.equal(steps.at(-1)?.step, "format", changed);
    }
  });

  describe("of an unknown key", () => {
    const invented = sha256("a document that was never anchored");
    const recordHash = createHash("sha256").update(`invented1700000000${invented}`).digest("hex");
    const options = { validators: VALIDATORS };
    let forged: ParsedJson;
    before(() => {
      const [record] = statement.records;
      const alone = { first_anchor: { ...record.first_anchor, size: 0 }, merkle: null, bundle: null };
      const metadata = { timestamp: 1_700_000_000 };
      const second = { document_id: "invented", hash: invented, metadata, record_hash: recordHash, ...alone };
      forged = { ...statement, records: [record, second] };
    });

    it("fail for a document whose record has no portable proof", async () => {
      assert.match(
        await reasonOf(forged, { ...options, documentHash: invented }),
        /^Document: the document is the content of record 2, which has no portable proof/,
      );
      const trusted = await verify(forged, { ...options, trustedKey: keyId, documentHash: invented });
      assert.isTrue(trusted.ok, "the issuer of a trusted key states it");
    });

    it("pass for a document with a portable proof, also behind a record of it without one", async () => {
      const [record, second] = forged.records;
      const behind = { ...forged, records: [second, { ...record, bundle: null }, record] };
      for (const [content, expected] of [
        [forged, 1],
        [behind, 3],
      ] as const) {
        const result = await verify(content, { ...options, documentHash: DOCUMENT_HASH });
        assert.isTrue(result.ok && result.record === expected, JSON.stringify(result.steps.at(-1)));
      }
    });

    it("give the issuer's name and time as claims only", async () => {
      const result = await verify(forged, options);
      if (!result.ok) return assert.fail(JSON.stringify(result.steps.at(-1)));
      assert.equal(
        attestationConclusion(result),
        `An unknown key, ${keyId}, signed the attestation; it claims to be "Issuer" and to have signed at ` +
          "2023-11-14 22:13:20 UTC. 1 of its 2 listed records are proven.",
      );
      const trust = result.steps.at(-1);
      assert.isTrue(trust?.ok && trust.proves.startsWith("the records with a portable proof (1 of 2)"));
    });
  });

  it("fail with other validators, and when validators have nothing to prove", async () => {
    assert.match(await reasonOf(statement, { validators: VALIDATORS.slice(1) }), /^Portable proof .*: Commit seals: /);
    const without = { ...statement, records: [], attachments: [] };
    assert.match(await reasonOf(without, { validators: VALIDATORS }), /^Trust: /);
    assert.isTrue((await verify(without, { trustedKey: keyId })).ok);
  });

  it("fail when the statement has other values than the bundle", async () => {
    const [record] = statement.records;
    const changes: readonly (readonly [name: string, change: ParsedJson])[] = [
      ["metadata", { metadata: { ...record.metadata, note: "added" } }],
      ["merkle", { merkle: null }],
      ["first_anchor", { first_anchor: { ...record.first_anchor, timestamp: 1 } }],
      ["first_anchor", { first_anchor: { ...record.first_anchor, block_number: 1 } }],
      ["document_id", { document_id: "another" }],
      ["record_hash", { record_hash: "0".repeat(64) }],
    ];
    for (const [name, change] of changes) {
      const content = { ...statement, records: [{ ...record, ...change }] };
      assert.include(await reasonOf(content, { trustedKey: keyId }), `another ${name} than the bundle`);
    }
    const elsewhere = { ...statement, chain: { ...statement.chain, chain_id: 1 } };
    assert.include(await reasonOf(elsewhere, { trustedKey: keyId }), "another chain_id than the bundle");
  });

  it("fail with bundles that the statement does not name, or of another issuer", async () => {
    assert.match(await reasonOf({ ...statement, attachments: [] }, { trustedKey: keyId }), /does not have the SHA-256/);
    assert.match(
      await reasonOf(statement, { trustedKey: keyId }, { [FILE]: sealed.replace(",", ", ") }),
      /the file was changed/,
    );
    assert.match(await reasonOf(statement, { trustedKey: keyId }, {}), /the file is missing/);
    const other = signingKey(Buffer.alloc(32, 8));
    const issuer = { name: "Other", key_id: keyIdOf(other.publicKey), public_key: publicJwk(other.publicKey) };
    const files = { [FILE]: sealed };
    assert.match(
      await reasonOf({ ...statement, issuer }, { trustedKey: issuer.key_id }, files, other),
      /^Portable proof .*: Issuer's signature: the bundle is signed with the key .*, not with the trusted key/,
    );
  });

  it("fail without their path, for records that have no bundle", async () => {
    const [record] = statement.records;
    const alone = { ...statement, attachments: [], records: [{ ...record, bundle: null }] };
    assert.isTrue((await verify(alone, { trustedKey: keyId })).ok);
    const moved = { ...record.merkle, root: `0x${"00".repeat(32)}` };
    const content = { ...alone, records: [{ ...record, bundle: null, merkle: moved }] };
    assert.match(await reasonOf(content, { trustedKey: keyId }), /^Other records: /);
  });

  it("fail with a statement.json of another statement, and pass with the same one", async () => {
    const text = canonicalJson(statement);
    const files = (copy: string) => ({ [FILE]: sealed, "statement.json": copy });
    for (const copy of [text, `${text}\n`, `\uFEFF${text}\r\n`])
      assert.isTrue((await verify(statement, { trustedKey: keyId }, files(copy))).ok);
    const other = text.replace("Issuer", "Another");
    assert.match(
      await reasonOf(statement, { trustedKey: keyId }, files(other)),
      /^statement\.json: the file is not the statement that was signed/,
    );
  });

  it("pass with attached bundles that have other line ends", async () => {
    const options = { trustedKey: keyId };
    assert.isTrue((await verify(statement, options, { [FILE]: `${sealed.trimEnd()}\r\n` })).ok);
    assert.match(await reasonOf(statement, options, { [FILE]: sealed.replace(",", ", ") }), /was changed after/);
  });

  it("fail with the other form of a signature", async () => {
    const [header, payload, signature = ""] = signedText(canonicalJson(statement), key, TYPE).split(".");
    const other = otherForm(Buffer.from(signature, "base64url")).toString("base64url");
    const jws = [header, payload, other].join(".");
    const { ok, steps } = await verifyAttestation(jws, async () => undefined, { trustedKey: keyId });
    assert.isFalse(ok);
    assert.deepInclude(steps.at(-1), { title: "Issuer's signature", ok: false });
  });

  it("fail with another algorithm, another key, and in a form that is not canonical", async () => {
    const text = canonicalJson(statement);
    const [header = "", payload = "", signature = ""] = signedText(text, key, TYPE).split(".");
    const encoded = (value: string): string => Buffer.from(value).toString("base64url");
    const kid = keyId;
    const other = signingKey(Buffer.alloc(32, 8));
    const forgeries = [
      [encoded(canonicalJson({ alg: "none", kid, typ: "sealbook-attestation+jws" })), payload, signature],
      [encoded(canonicalJson({ alg: "ES256", kid, typ: "JWT" })), payload, signature],
      [header, encoded(`${text} `), signature],
      [header, payload, `${signature.slice(0, -1)}${signature.endsWith("A") ? "B" : "A"}`],
      signedText(text, other, TYPE).split("."),
    ];
    for (const parts of forgeries) {
      const result = await verifyAttestation(parts.join("."), async () => Buffer.from(sealed), { trustedKey: keyId });
      assert.isFalse(result.ok, parts.join(".").slice(0, 80));
    }
  });
});
