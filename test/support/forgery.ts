import { getBytes, id } from "ethers";
import type { Bundle } from "../../server/proofs/responses.ts";
import { ed25519Signer } from "../../server/attestation/ed25519-signer.ts";
import { signedBundle } from "../../server/proofs/bundle/signed-bundle.ts";
import type { ParsedJson } from "./parsed-json.ts";

/** Somebody who can sign, and whom nobody trusts. */
const forger = ed25519Signer(getBytes(id("the forger")));

/** The content of a bundle whose form is known to be right. */
export function contentOf(text: string): Bundle & { signature?: unknown } {
  return JSON.parse(text);
}

/** A bundle with another content and a signature over it, as a forger would make it. */
export function forged(text: string, change: (bundle: ParsedJson) => void): Promise<string> {
  const { signature: _, ...bundle } = contentOf(text);
  change(bundle);
  return signedBundle(bundle, forger);
}
