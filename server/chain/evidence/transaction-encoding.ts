import { type Input, RLP } from "@ethereumjs/rlp";
import { concat, getBytes } from "ethers";
import { z } from "zod";
import { BigQuantity, Data } from "../rpc/fields.ts";

const AccessList = z.array(z.object({ address: Data, storageKeys: z.array(Data) }));

const Authorizations = z.array(
  z.object({
    chainId: BigQuantity,
    address: Data,
    nonce: BigQuantity,
    yParity: BigQuantity,
    r: BigQuantity,
    s: BigQuantity,
  }),
);

const signed = {
  hash: Data,
  nonce: BigQuantity,
  gas: BigQuantity,
  to: Data.nullish().transform((to) => to ?? new Uint8Array()),
  value: BigQuantity,
  input: Data,
  r: BigQuantity,
  s: BigQuantity,
};

/** Typed transactions have a parity; some nodes return it as `v` only. */
const parity = { yParity: BigQuantity.nullish(), v: BigQuantity.nullish() };

const fees = {
  chainId: BigQuantity,
  maxPriorityFeePerGas: BigQuantity,
  maxFeePerGas: BigQuantity,
  accessList: AccessList,
};

/** A transaction without a type, as the relayer sends them. */
export const LegacyTransaction = z.object({ ...signed, type: z.literal("0x0"), gasPrice: BigQuantity, v: BigQuantity });
const WithAccessList = z.object({
  ...signed,
  ...parity,
  type: z.literal("0x1"),
  chainId: BigQuantity,
  gasPrice: BigQuantity,
  accessList: AccessList,
});
const WithFees = z.object({ ...signed, ...parity, ...fees, type: z.literal("0x2") });
const WithBlobs = z.object({
  ...signed,
  ...parity,
  ...fees,
  type: z.literal("0x3"),
  maxFeePerBlobGas: BigQuantity,
  blobVersionedHashes: z.array(Data),
});
const WithAuthorizations = z.object({
  ...signed,
  ...parity,
  ...fees,
  type: z.literal("0x4"),
  authorizationList: Authorizations,
});

/** A transaction of a block, its fields as bytes and numbers for RLP. */
export const BlockTransaction = z.preprocess(
  (response) =>
    typeof response === "object" && response !== null && !("type" in response)
      ? { ...response, type: "0x0" }
      : response,
  z.discriminatedUnion("type", [LegacyTransaction, WithAccessList, WithFees, WithBlobs, WithAuthorizations]),
);

/** As {@link BlockTransaction} reads it. */
export type BlockTransaction = z.output<typeof BlockTransaction>;

/** Encodes a transaction as in the block's trie; the hash of the bytes is the transaction's. */
export function encodeTransaction(transaction: BlockTransaction): Uint8Array {
  const { nonce, gas, to, value, input, r, s } = transaction;
  if (transaction.type === "0x0")
    return RLP.encode([nonce, transaction.gasPrice, gas, to, value, input, transaction.v, r, s]);
  const signature = [transaction.yParity ?? transaction.v ?? 0n, r, s];
  const access = transaction.accessList.map(({ address, storageKeys }) => [address, storageKeys]);
  const typed = (...fields: Input[]): Uint8Array =>
    getBytes(concat([Uint8Array.of(Number(transaction.type)), RLP.encode([...fields, ...signature])]));
  if (transaction.type === "0x1") {
    return typed(transaction.chainId, nonce, transaction.gasPrice, gas, to, value, input, access);
  }
  const { chainId, maxPriorityFeePerGas, maxFeePerGas } = transaction;
  const common: Input[] = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, input, access];
  switch (transaction.type) {
    case "0x2":
      return typed(...common);
    case "0x3":
      return typed(...common, transaction.maxFeePerBlobGas, transaction.blobVersionedHashes);
    case "0x4":
      return typed(
        ...common,
        transaction.authorizationList.map((item) => [
          item.chainId,
          item.address,
          item.nonce,
          item.yParity,
          item.r,
          item.s,
        ]),
      );
  }
}
