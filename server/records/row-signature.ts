import { hashMessage, verifyMessage } from "ethers";
import { signDigest } from "../chain/keys/sign-digest.ts";

/** `0x` and 130 digits: r, s and a v of 27 or 28, as the event table asks for. */
const FORM = /^0x[0-9a-fA-F]{128}1[bcBC]$/;

/**
 * Signs row data by EIP-191.
 *
 * @param rowdata The row data as stored: compressed when they are stored compressed
 * @param signingKey The 32-byte key of the account that the row names as its sender
 * @returns `0x`-prefixed lower-case hex, the text that goes on chain
 */
export function signRowData(rowdata: Uint8Array, signingKey: Uint8Array): string {
  return signDigest(hashMessage(rowdata), signingKey).serialized;
}

/**
 * Who signed row data.
 *
 * @param rowdata The row data as stored
 * @param signature The signature argument as text
 * @returns The checksummed address; undefined when the text is no signature that the event table would take
 */
export function recoverSigner(rowdata: Uint8Array, signature: string): string | undefined {
  if (!FORM.test(signature)) return undefined;
  try {
    return verifyMessage(rowdata, signature);
  } catch {
    // Digits of the right form can still be no point of the curve, or the second form of another signature.
    return undefined;
  }
}
