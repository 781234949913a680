import { keccak256, recoverAddress } from "ethers";
import { createHash } from "node:crypto";
import { signDigest } from "../chain/fast-crypto.ts";

/** `0x` and 130 digits: r, s and a v of 27 or 28, as the event table requires. */
const SIGNATURE_PATTERN = /^0x[0-9a-fA-F]{128}1[bcBC]$/;

/**
 * Signs row data according to EIP-191.
 *
 * @param rowdata The row data as stored, compressed if they are stored compressed
 * @param signingKey The 32-byte key of the row's sender
 * @returns `0x`-prefixed lower-case hex, as stored on chain
 */
export function signRowData(rowdata: Uint8Array, signingKey: Uint8Array): string {
  return signDigest(hashOfMessage(rowdata), signingKey).serialized;
}

/** Hashes a message according to EIP-191. The library's function takes ten times as long for a large one. */
function hashOfMessage(message: Uint8Array): string {
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]));
}

/**
 * Recovers the signer of row data.
 *
 * @param rowdata The row data as stored
 * @param signature The signature argument as text
 * @returns The checksummed address; undefined if the event table would not accept the signature
 */
export function recoverSigner(rowdata: Uint8Array, signature: string): string | undefined {
  if (!SIGNATURE_PATTERN.test(signature)) return undefined;
  try {
    return recoverAddress(hashOfMessage(rowdata), signature);
  } catch {
    // Well-formed digits can still be no point of the curve, or a malleable variant of another signature.
    return undefined;
  }
}

/**
 * Computes the digest by which a signed row is found again wherever it is written: of the row data as stored and of the
 * signature. The contract accepts both cases of its digits, so they count as one signature.
 */
export function rowDigest(rowdata: Uint8Array, signature: string): Uint8Array {
  const data = createHash("sha256").update(rowdata).digest();
  return createHash("sha256").update(data).update(signature.toLowerCase()).digest();
}
