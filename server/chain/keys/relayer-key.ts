import { computeAddress, getBytes, keccak256, type Signature } from "ethers";
import type { Address } from "../transaction.ts";
import { signDigest } from "./sign-digest.ts";

/** Whoever signs for the relayer: this process, or somebody it asks. */
export interface RelayerKey {
  readonly address: Address;
  /** Signs the Keccak-256 of what is given. */
  sign(message: Uint8Array): Signature | Promise<Signature>;
}

/**
 * A key that this process has.
 * @param privateKey `0x` hex of 32 bytes
 */
export function ownKey(privateKey: string): RelayerKey {
  const key = getBytes(privateKey);
  return { address: computeAddress(privateKey), sign: (message) => signDigest(keccak256(message), key) };
}
