import { keccak256, Signature } from "ethers";
import { createKeccak } from "hash-wasm";
import { signRecoverable } from "tiny-secp256k1";
import { bytesOfHex, prefixedHex } from "../kit/bytes.ts";

/**
 * Makes ethers hash with WebAssembly: 2 instead of 33 microseconds for 64 bytes, 7 instead of 183 for 1 KiB. Calls,
 * topics, addresses, messages and transactions are all hashed.
 */
export async function useFastKeccak(): Promise<void> {
  const hasher = await createKeccak(256);
  keccak256.register((data) => hasher.init().update(data).digest("binary"));
}

/**
 * Signs a digest with secp256k1. libsecp256k1 gives the same signatures as ethers (deterministic by RFC 6979, low s) in
 * 213 instead of 657 microseconds, and a record needs two of them.
 *
 * @param digest `0x` hex of 32 bytes
 * @param privateKey 32 bytes
 */
export function signDigest(digest: string, privateKey: Uint8Array): Signature {
  const { signature, recoveryId } = signRecoverable(bytesOfHex(digest), privateKey);
  return Signature.from(`${prefixedHex(signature)}${(27 + recoveryId).toString(16)}`);
}
