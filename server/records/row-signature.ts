import { concat, getAddress, id, keccak256, recoverAddress, toBeHex, zeroPadValue } from "ethers";
import { createHash } from "node:crypto";
import { signDigest } from "../chain/fast-crypto.ts";
import type { Address } from "../chain/transaction.ts";
import { bytesOfHex } from "../kit/bytes.ts";

/** `0x` and 130 digits: r, s and a v of 27 or 28, as the event table requires. */
const KEY_SIGNATURE = /^0x[0-9a-fA-F]{128}1[bcBC]$/;
/** `0x`, the address of a contract, and the bytes that this contract checks (ERC-1271); never 65 bytes in all. */
const CONTRACT_SIGNATURE = /^0x(?<address>[0-9a-fA-F]{40})(?:[0-9a-fA-F]{2})*$/;
const KEY_SIGNATURE_LENGTH = 132;

/** The event table in which a row stands. */
export interface TableContract {
  readonly chainId: number;
  readonly address: Address;
}

/** The arguments of a row function that the signer of the row signs. */
export interface UnsignedRow {
  readonly tabname: string;
  readonly rowid: bigint;
  /** As stored: compressed if `comp` is true. */
  readonly rowdata: Uint8Array;
  readonly comp: boolean;
}

/**
 * Signs a row for its place: the signature counts in this table of this contract only, under this row id.
 *
 * @param signingKey The 32-byte key of the row's sender
 * @returns `0x`-prefixed lower-case hex, as stored on chain
 */
export function signRow(row: UnsignedRow, contract: TableContract, signingKey: Uint8Array): string {
  return signDigest(hashOfPlace(row, contract), signingKey).serialized;
}

/**
 * Recovers the signer of a row whose signature is bound to its place, as the event table does.
 *
 * @param signature The signature argument as text
 * @returns The checksummed address; undefined if the event table would not accept the signature
 */
export function recoverSigner(row: UnsignedRow, signature: string, contract: TableContract): Address | undefined {
  return recover(signature, () => hashOfPlace(row, contract));
}

/**
 * Recovers the signer of row data whose signature is bound to no place, as in rows of other systems.
 *
 * @param rowdata The row data as stored
 * @returns The checksummed address; undefined if it is no signature
 */
export function recoverUnboundSigner(rowdata: Uint8Array, signature: string): Address | undefined {
  return recover(signature, () => personalHash(rowdata));
}

/** Returns the signer of a row as the event table sees it: the account whose signature it is, or the named contract. */
export function signerAt(row: UnsignedRow, signature: string, contract: TableContract): Address | undefined {
  return signingContractOf(signature) ?? recoverSigner(row, signature, contract);
}

/** Returns the contract that a signature names as the signer (ERC-1271); only the chain can check such a signature. */
export function signingContractOf(signature: string): Address | undefined {
  if (signature.length === KEY_SIGNATURE_LENGTH) return undefined;
  const address = CONTRACT_SIGNATURE.exec(signature)?.groups?.["address"];
  return address === undefined ? undefined : getAddress(`0x${address}`);
}

function recover(signature: string, digest: () => string): Address | undefined {
  if (!KEY_SIGNATURE.test(signature)) return undefined;
  try {
    return recoverAddress(digest(), signature);
  } catch {
    // Well-formed digits can still be no point of the curve, or a malleable variant of another signature.
    return undefined;
  }
}

/** The hash that the signer of a row signs; the contract computes the same. */
function hashOfPlace({ tabname, rowid, rowdata, comp }: UnsignedRow, { chainId, address }: TableContract): string {
  // As the ABI encodes them; the encoder of the library takes several times as long.
  const words = [toBeHex(chainId, 32), zeroPadValue(address, 32), id(tabname)];
  const place = concat([...words, toBeHex(rowid, 32), toBeHex(comp ? 1 : 0, 32), keccak256(rowdata)]);
  return personalHash(bytesOfHex(keccak256(place)));
}

/** Hashes a message according to EIP-191. The library's function takes ten times as long for a large one. */
function personalHash(message: Uint8Array): string {
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]));
}

/**
 * Computes the digest by which a signed row is found again wherever it is written: of the row data as stored and of the
 * signature. The contract accepts both cases of its digits, so they count as one signature.
 */
export function rowDigest(rowdata: Uint8Array, signature: string): Uint8Array {
  const data = createHash("sha256").update(rowdata).digest();
  return createHash("sha256").update(data).update(signature.toLowerCase()).digest();
}
