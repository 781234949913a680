import { createPublicKey, verify } from "node:crypto";
import { expect } from "chai";
import { signedBundle } from "../../../../server/proofs/bundle.ts";
import type { Bundle } from "../../../../server/proofs/responses.ts";
import { signedBytes } from "../../../../verifier/verify.mjs";
import { contentOf } from "../../../support/forgery.ts";
import { BUNDLE_VECTORS, TRUSTED_KEY, VECTOR_KEY } from "../../../vectors/bundles/vectors.ts";

describe("the issuer's signature of a bundle", () => {
  const { signature: _, ...bundle } = contentOf(BUNDLE_VECTORS[0]?.text ?? "");

  it("is standard ECDSA, and names its key by the thumbprint", () => {
    const signed = JSON.parse(signedBundle(bundle, VECTOR_KEY));
    const { algorithm, key_id, public_key, value } = signed.signature;
    expect([algorithm, key_id]).to.deep.equal(["ES256", TRUSTED_KEY]);
    const key = createPublicKey({ key: public_key, format: "jwk" });
    const isSigned = (message: Uint8Array): boolean =>
      verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(value, "hex"));
    expect(isSigned(signedBytes(signed))).to.equal(true);
    expect(isSigned(signedBytes({ ...signed, format: "sealbook-bundle/2" }))).to.equal(false);
  });

  it("covers the same bytes for any order of members", () => {
    const turned: Bundle = JSON.parse(JSON.stringify(bundle), (__, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    );
    expect(JSON.stringify(turned)).to.not.equal(JSON.stringify(bundle));
    expect(signedBundle(turned, VECTOR_KEY)).to.equal(signedBundle(bundle, VECTOR_KEY));
  });
});
