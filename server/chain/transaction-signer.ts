import { computeAddress, getBytes, hexlify, keccak256, Transaction } from "ethers";
import { signDigest } from "./sign-digest.ts";
import type { Address, Filler, QueuedTransaction, SignedTransaction } from "../domain/transaction.ts";

/** Signs the relayer's transactions: legacy ones, which every permissioned network takes. */
export interface TransactionSigner {
  readonly address: Address;
  sign(transaction: QueuedTransaction, nonce: number): SignedTransaction;
  /** An empty transaction to the key's own address, for a nonce that would stay open otherwise. */
  filler(nonce: number): Filler;
}

/** What every call may cost besides its data: far more than any of the contracts' functions uses. */
const BASE_GAS = 300_000;
/** Call data and the log that a row goes into, per byte. */
const GAS_PER_BYTE = 40;
const TRANSFER_GAS = 21_000;

/**
 * @param privateKey 32 bytes
 * @param gasPrice In wei; 0 on networks without fees
 */
export function transactionSigner(privateKey: string, chainId: number, gasPrice: bigint): TransactionSigner {
  const key = getBytes(privateKey);
  const address = computeAddress(privateKey);

  const signed = (to: Address, data: Uint8Array, gasLimit: number, nonce: number) => {
    const transaction = Transaction.from({ type: 0, chainId, to, data: hexlify(data), nonce, gasLimit, gasPrice, value: 0n });
    transaction.signature = signDigest(transaction.unsignedHash, key);
    const raw = getBytes(transaction.serialized);
    return { nonce, raw, hash: getBytes(keccak256(raw)) };
  };

  return {
    address,
    sign: ({ id, to, data }, nonce) => ({ id, ...signed(to, data, BASE_GAS + GAS_PER_BYTE * data.length, nonce) }),
    filler: (nonce) => ({ sender: address, ...signed(address, new Uint8Array(), TRANSFER_GAS, nonce) }),
  };
}
