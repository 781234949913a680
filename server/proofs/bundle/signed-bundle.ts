import { keyIdOf, publicJwk, type SigningKey } from "../../issuer/signing-key.ts";
import { canonicalJson } from "../../kit/canonical-json.ts";
import { hex } from "../../kit/hex.ts";
import type { Bundle } from "../responses.ts";

/**
 * Signs all fields of a bundle, including the names of algorithm and key.
 * @returns its text, in the only valid form
 */
export function signedBundle(bundle: Bundle, key: SigningKey): string {
  const signature = {
    algorithm: "ES256",
    key_id: keyIdOf(key.publicKey),
    public_key: publicJwk(key.publicKey),
  };
  const value = key.sign(Buffer.from(canonicalJson({ ...bundle, signature })));
  return canonicalJson({ ...bundle, signature: { ...signature, value: hex(value) } });
}
