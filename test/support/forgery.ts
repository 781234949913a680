import { concat, getBytes, hexlify, id, toBeHex } from "ethers";
import type { Bundle } from "../../server/proofs/responses.ts";
import { keyIdOf, signingKey } from "../../server/issuer/signing-key.ts";
import { signedBundle } from "../../server/proofs/bundle.ts";
import type { ParsedJson } from "./parsed-json.ts";
import { canonicalJson } from "../../server/kit/json.ts";

/** A signer that is not trusted. */
const forger = signingKey(getBytes(id("the forger")));

/** The id of the key of {@link forged} bundles. */
export const FORGER_KEY = keyIdOf(forger.publicKey);

/** Parses the content of a bundle with a valid form. */
export function contentOf(text: string): Bundle & { signature?: unknown } {
  return JSON.parse(text);
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Replaces the signature (r, s) of ES256 by its other valid form (r, n - s): 64 bytes of any encoding. */
export function otherForm(signature: Uint8Array): Buffer {
  const s = BigInt(hexlify(signature.subarray(32)));
  return Buffer.from(getBytes(concat([signature.subarray(0, 32), toBeHex(ORDER - s, 32)])));
}

/** Returns a bundle with the other form of its signature. */
export function withOtherForm(text: string): string {
  const bundle: ParsedJson = JSON.parse(text);
  bundle.signature.value = otherForm(Buffer.from(bundle.signature.value, "hex")).toString("hex");
  return canonicalJson(bundle);
}

/** Forges a bundle: changes its content and signs it with an untrusted key. */
export function forged(text: string, change: (bundle: ParsedJson) => void): string {
  const { signature: _, ...bundle } = contentOf(text);
  change(bundle);
  return signedBundle(bundle, forger);
}
