import { type Input, RLP } from "@ethereumjs/rlp";
import { concat, getBytes, hexlify, keccak256, Transaction } from "ethers";
import type { Address, Filler, QueuedTransaction, SignedTransaction } from "../transaction.ts";
import { bytesOfHex } from "../../kit/bytes.ts";
import type { RelayerKey } from "../keys/relayer-key.ts";
import type { GasFee } from "./fees.ts";

/** Signs the relayer's transactions: legacy ones, which every permissioned network accepts, or those of EIP-1559. */
export interface TransactionSigner {
  readonly address: Address;
  /** Whether the key is in this process. */
  readonly isLocal: boolean;
  sign(transaction: Omit<QueuedTransaction, "isOwn">, nonce: number, fee: GasFee): Promise<SignedTransaction>;
  /** Signs an empty transaction to the key's own address, for a nonce that would otherwise stay unused. */
  filler(nonce: number, fee: GasFee): Promise<Filler>;
  /** Returns the nonce of a transaction that the key has signed for the chain; `undefined` for any other one. */
  signedNonceOf(transaction: Pick<SignedTransaction, "raw">): number | undefined;
  /** Signs a transaction once more, with another fee. */
  withFee(transaction: SignedTransaction, fee: GasFee): Promise<SignedTransaction>;
}

/** The fields of a transaction that its fee does not change. */
interface Call {
  readonly nonce: number;
  readonly to: Address;
  readonly data: Uint8Array;
  readonly gasLimit: number;
}

/** Gas limit of a call without its data: far more than any of the contracts' functions uses. */
const BASE_GAS = 300_000;
/** Gas per byte of call data and of the log that contains the row. */
const GAS_PER_BYTE = 40;
const TRANSFER_GAS = 21_000;
const VALUE = 0;
/** Type of a transaction of EIP-1559. */
const DYNAMIC_FEE = 2;

export function transactionSigner(key: RelayerKey, chainId: number): TransactionSigner {
  const { address } = key;

  /** EIP-155: the signed data and the signature contain the chain id. */
  const signedLegacy = async ({ nonce, to, data, gasLimit }: Call, gasPrice: bigint): Promise<Uint8Array> => {
    const fields = [nonce, gasPrice, gasLimit, bytesOfHex(to), VALUE, data];
    const { r, s, yParity } = await key.sign(RLP.encode([...fields, chainId, 0, 0]));
    return RLP.encode([...fields, 2 * chainId + 35 + yParity, BigInt(r), BigInt(s)]);
  };

  const signedDynamic = async ({ nonce, to, data, gasLimit }: Call, { max, tip }: GasFee): Promise<Uint8Array> => {
    const fields: Input[] = [chainId, nonce, tip, max, gasLimit, bytesOfHex(to), VALUE, data, []];
    const typed = (all: Input[]): Uint8Array => getBytes(concat([Uint8Array.of(DYNAMIC_FEE), RLP.encode(all)]));
    const { r, s, yParity } = await key.sign(typed(fields));
    return typed([...fields, yParity, BigInt(r), BigInt(s)]);
  };

  const signed = async (call: Call, fee: GasFee) => {
    const raw = await (fee.kind === "legacy" ? signedLegacy(call, fee.max) : signedDynamic(call, fee));
    return { nonce: call.nonce, raw, hash: bytesOfHex(keccak256(raw)) };
  };

  return {
    address,
    isLocal: key.isLocal,
    sign: async ({ id, to, data }, nonce, fee) => ({
      id,
      ...(await signed({ nonce, to, data, gasLimit: BASE_GAS + GAS_PER_BYTE * data.length }, fee)),
    }),
    filler: async (nonce, fee) => ({
      sender: address,
      ...(await signed({ nonce, to: address, data: new Uint8Array(), gasLimit: TRANSFER_GAS }, fee)),
    }),
    signedNonceOf({ raw }) {
      try {
        const signed = Transaction.from(hexlify(raw));
        const isOwn = signed.from?.toLowerCase() === address.toLowerCase() && signed.chainId === BigInt(chainId);
        return isOwn ? signed.nonce : undefined;
      } catch {
        return undefined;
      }
    },
    async withFee({ id, raw }, fee) {
      const { nonce, to, data, gasLimit } = Transaction.from(hexlify(raw));
      const call = { nonce, to: to ?? address, data: getBytes(data), gasLimit: Number(gasLimit) };
      return { id, ...(await signed(call, fee)) };
    },
  };
}

/** Reads the fee of a signed transaction. */
export function feeOf({ raw }: Pick<SignedTransaction, "raw">): GasFee {
  const { type, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = Transaction.from(hexlify(raw));
  return type === DYNAMIC_FEE
    ? { kind: "eip1559", max: maxFeePerGas ?? 0n, tip: maxPriorityFeePerGas ?? 0n }
    : { kind: "legacy", max: gasPrice ?? 0n, tip: gasPrice ?? 0n };
}

/** Returns whether a transaction calls nothing: it only uses up its nonce. */
export function isFiller({ raw }: Pick<SignedTransaction, "raw">): boolean {
  return Transaction.from(hexlify(raw)).data === "0x";
}
