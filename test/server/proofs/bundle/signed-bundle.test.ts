import { createHash } from "node:crypto";
import { expect } from "chai";
import { ed25519Signer } from "../../../../server/attestation/ed25519-signer.ts";
import { keyIdOf, signedBundle } from "../../../../server/proofs/bundle/signed-bundle.ts";
import type { Bundle } from "../../../../server/proofs/responses.ts";
import { contentOf } from "../../../support/forgery.ts";
import { BUNDLE_VECTORS } from "../../../vectors/bundles/vectors.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** The first example of RFC 8032. */
const SEED = Buffer.from("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "hex");
const PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const SIGNATURE =
  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
  "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

describe("the issuer's signature", () => {
  it("is standard Ed25519", async () => {
    const signer = ed25519Signer(SEED);
    expect(hex(signer.publicKey)).to.equal(PUBLIC_KEY);
    expect(hex(await signer.sign(new Uint8Array()))).to.equal(SIGNATURE);
    expect(() => ed25519Signer(SEED.subarray(1))).to.throw(RangeError);
  });

  it("names its key by the beginning of its hash", () => {
    const key = Buffer.from(PUBLIC_KEY, "hex");
    expect(keyIdOf(key)).to.equal(createHash("sha256").update(key).digest("hex").slice(0, 16));
  });

  it("covers the same bytes for any order of members", async () => {
    const { signature: _, ...bundle } = contentOf(BUNDLE_VECTORS[0]?.text ?? "");
    const turned: Bundle = JSON.parse(JSON.stringify(bundle), (__, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
    expect(JSON.stringify(turned)).to.not.equal(JSON.stringify(bundle));
    expect(await signedBundle(turned, ed25519Signer(SEED))).to.equal(await signedBundle(bundle, ed25519Signer(SEED)));
  });
});
