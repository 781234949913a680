import { getBytes, id } from "ethers";
import type { Bundle } from "../../server/proofs/responses.ts";
import { keyIdOf, signingKey } from "../../server/issuer/signing-key.ts";
import { signedBundle } from "../../server/proofs/bundle.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** A signer that is not trusted. */
const forger = signingKey(getBytes(id("the forger")));

/** The id of the key of {@link forged} bundles. */
export const FORGER_KEY = keyIdOf(forger.publicKey);

/** Parses the content of a bundle with a valid form. */
export function contentOf(text: string): Bundle & { signature?: unknown } {
  return JSON.parse(text);
}

/** Forges a bundle: changes its content and signs it with an untrusted key. */
export function forged(text: string, change: (bundle: ParsedJson) => void): string {
  const { signature: _, ...bundle } = contentOf(text);
  change(bundle);
  return signedBundle(bundle, forger);
}
