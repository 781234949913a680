import { computeAddress, getBytes, keccak256, type Signature } from "ethers";
import type { Address } from "../transaction.ts";
import { signDigest } from "./sign-digest.ts";

/** The relayer's key, in this process or in a remote signer. */
export interface RelayerKey {
  readonly address: Address;
  /** Signs the keccak-256 of the message. */
  sign(message: Uint8Array): Signature | Promise<Signature>;
}

/**
 * Creates a key that signs in this process.
 * @param privateKey `0x` hex of 32 bytes
 */
export function ownKey(privateKey: string): RelayerKey {
  const key = getBytes(privateKey);
  return { address: computeAddress(privateKey), sign: (message) => signDigest(keccak256(message), key) };
}
