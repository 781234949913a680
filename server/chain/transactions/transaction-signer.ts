import { RLP } from "@ethereumjs/rlp";
import { keccak256 } from "ethers";
import type { Address, Filler, QueuedTransaction, SignedTransaction } from "../transaction.ts";
import { bytesOfHex } from "../../kit/hex.ts";
import type { RelayerKey } from "../keys/relayer-key.ts";

/** Signs the relayer's transactions: legacy transactions, which every permissioned network accepts. */
export interface TransactionSigner {
  readonly address: Address;
  sign(transaction: QueuedTransaction, nonce: number): Promise<SignedTransaction>;
  /** Signs an empty transaction to the key's own address, for a nonce that would otherwise stay unused. */
  filler(nonce: number): Promise<Filler>;
}

/** Gas limit of a call without its data: far more than any of the contracts' functions uses. */
const BASE_GAS = 300_000;
/** Gas per byte of call data and of the log that contains the row. */
const GAS_PER_BYTE = 40;
const TRANSFER_GAS = 21_000;
const VALUE = 0;

/** @param gasPrice In wei; 0 on networks without fees */
export function transactionSigner(key: RelayerKey, chainId: number, gasPrice: bigint): TransactionSigner {
  const { address } = key;

  /** EIP-155: the signed data and the signature contain the chain id. */
  const signed = async (to: Address, data: Uint8Array, gasLimit: number, nonce: number) => {
    const fields = [nonce, gasPrice, gasLimit, bytesOfHex(to), VALUE, data];
    const { r, s, yParity } = await key.sign(RLP.encode([...fields, chainId, 0, 0]));
    const raw = RLP.encode([...fields, 2 * chainId + 35 + yParity, BigInt(r), BigInt(s)]);
    return { nonce, raw, hash: bytesOfHex(keccak256(raw)) };
  };

  return {
    address,
    sign: async ({ id, to, data }, nonce) => ({
      id,
      ...(await signed(to, data, BASE_GAS + GAS_PER_BYTE * data.length, nonce)),
    }),
    filler: async (nonce) => ({ sender: address, ...(await signed(address, new Uint8Array(), TRANSFER_GAS, nonce)) }),
  };
}
