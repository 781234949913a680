import { hash as digest } from "node:crypto";
import type { Bundle } from "../responses.ts";
import { canonicalJson } from "../../kit/canonical-json.ts";
import { hex } from "../../kit/hex.ts";

/** Signs with the installation's Ed25519 key. */
export interface BundleSigner {
  /** 32 bytes; verifiers must obtain it through another channel. */
  readonly publicKey: Uint8Array;
  /** @returns 64 bytes */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** Hex digits of a key's id. */
const KEY_ID_LENGTH = 16;

/** Returns a short id of a public key: the first 8 bytes of its SHA-256 in hex. */
export function keyIdOf(publicKey: Uint8Array): string {
  return digest("sha256", publicKey, "hex").slice(0, KEY_ID_LENGTH);
}

/**
 * Signs all fields of a bundle, including the names of algorithm and key.
 * @returns its text, in the only valid form
 */
export async function signedBundle(bundle: Bundle, signer: BundleSigner): Promise<string> {
  const signature = {
    algorithm: "Ed25519",
    key_id: keyIdOf(signer.publicKey),
    public_key: hex(signer.publicKey),
  };
  const value = await signer.sign(Buffer.from(canonicalJson({ ...bundle, signature })));
  return canonicalJson({ ...bundle, signature: { ...signature, value: hex(value) } });
}
