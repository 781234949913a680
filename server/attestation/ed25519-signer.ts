import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { BundleSigner } from "../proofs/index.ts";

const SEED_LENGTH = 32;
/** DER prefixes of a 32-byte private and public key (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

/** @param seed The private key's 32 bytes */
export function ed25519Signer(seed: Uint8Array): BundleSigner {
  if (seed.length !== SEED_LENGTH) throw new RangeError(`an Ed25519 key has ${SEED_LENGTH} bytes, not ${seed.length}`);
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(PUBLIC_PREFIX.length);
  return {
    publicKey,
    sign: async (message) => sign(null, message, key),
  };
}
