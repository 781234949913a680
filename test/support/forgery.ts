import { getBytes, id } from "ethers";
import type { Bundle } from "../../server/proofs/responses.ts";
import { ed25519Signer } from "../../server/attestation/ed25519-signer.ts";
import { signedBundle } from "../../server/proofs/bundle/signed-bundle.ts";
import type { ParsedJson } from "./parsed-json.ts";
import { hex } from "../../server/kit/hex.ts";

/** A signer that is not trusted. */
const forger = ed25519Signer(getBytes(id("the forger")));

/** The public key of {@link forged} bundles. */
export const FORGER_KEY = hex(forger.publicKey);

/** Parses the content of a bundle with a valid form. */
export function contentOf(text: string): Bundle & { signature?: unknown } {
  return JSON.parse(text);
}

/** Forges a bundle: changes its content and signs it with an untrusted key. */
export function forged(text: string, change: (bundle: ParsedJson) => void): Promise<string> {
  const { signature: _, ...bundle } = contentOf(text);
  change(bundle);
  return signedBundle(bundle, forger);
}
