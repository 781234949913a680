import { id, verifyMessage } from "ethers";

const ARGUMENTS = "(string,uint256,bytes,bool,string)";
/** The functions that store a row. */
const FUNCTIONS = ["set", "insert"] as const;

/** r, s, and a v of 27 or 28, as the contract of the table requires. */
const SIGNATURE = /^0x[0-9a-fA-F]{128}1[bcBC]$/;

/** A function that stores a row. */
export type RowFunction = (typeof FUNCTIONS)[number];

/** Returns the function of call data, by its first four bytes. */
export function functionOf(callData: string): RowFunction | undefined {
  return FUNCTIONS.find((name) => id(`${name}${ARGUMENTS}`).slice(0, 10) === callData.slice(0, 10).toLowerCase());
}

/**
 * Recovers the signer of a row from the call data alone.
 * @param rowdata The row as it is stored, hex without prefix
 * @param signature The signature's text, as hex
 */
export function signerOf(rowdata: string, signature: string): string | undefined {
  const text = textOf(signature);
  if (!SIGNATURE.test(text)) return undefined;
  try {
    return verifyMessage(bytesOf(rowdata), text);
  } catch {
    // Digits of the right form can still be an invalid signature.
    return undefined;
  }
}

/** Decodes the bytes of a text, hex without prefix. */
export function textOf(hex: string): string {
  return new TextDecoder().decode(bytesOf(hex));
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
