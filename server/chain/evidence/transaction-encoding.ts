import { type Input, RLP } from "@ethereumjs/rlp";
import { concat, getBytes, hexlify, keccak256 } from "ethers";
import * as z from "zod";
import { BigQuantity, Data, Hex, lookUp } from "../rpc/query.ts";
import { ifNodeError, type Rpc } from "../rpc/rpc.ts";

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

const call = { hash: Data, to: Data.nullish().transform((to) => to ?? new Uint8Array()), input: Data };

const unsigned = { ...call, gas: BigQuantity, value: BigQuantity };

const signed = { ...unsigned, nonce: BigQuantity, r: BigQuantity, s: BigQuantity };

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

/** A transaction of another chain on an OP-stack chain; each block begins with one. */
const Deposit = z.object({
  ...unsigned,
  type: z.literal("0x7e"),
  sourceHash: Data,
  from: Data,
  mint: BigQuantity.nullish(),
  isSystemTx: z.boolean().nullish(),
});
/** A transaction of the system on an Arbitrum chain; each block begins with one. */
const ArbitrumInternal = z.object({ ...unsigned, type: z.literal("0x6a"), chainId: BigQuantity });

/** A transaction of a block, its fields as bytes and numbers for RLP. */
export const BlockTransaction = z.preprocess(
  (response) =>
    typeof response === "object" && response !== null && !("type" in response)
      ? { ...response, type: "0x0" }
      : response,
  z.discriminatedUnion("type", [
    LegacyTransaction,
    WithAccessList,
    WithFees,
    WithBlobs,
    WithAuthorizations,
    Deposit,
    ArbitrumInternal,
  ]),
);

/** As {@link BlockTransaction} reads it. */
export type BlockTransaction = z.output<typeof BlockTransaction>;

/** A transaction of a type that is not encoded here. */
export const UnknownTransaction = z
  .object({ ...call, type: Hex.refine((type) => !isKnownType(type)) })
  .transform(({ type: unknownType, ...rest }) => ({ ...rest, type: "unknown" as const, unknownType }));

/** As {@link UnknownTransaction} reads it. */
export type UnknownTransaction = z.output<typeof UnknownTransaction>;

/** Types of {@link BlockTransaction}. */
const KNOWN_TYPES: readonly string[] = ["0x0", "0x1", "0x2", "0x3", "0x4", "0x7e", "0x6a"];

/** Returns whether {@link encodeTransaction} has the type, as in JSON-RPC. */
export function isKnownType(type: string): boolean {
  return KNOWN_TYPES.includes(type);
}

/**
 * Encodes a transaction as in the block's trie; the hash of the bytes is the transaction's. ethers encodes only what it
 * could sign: it refuses an EIP-7702 authorization with a parity above 1, which a block may contain, so that anyone
 * could keep the blocks of a chain from being verified.
 */
export function encodeTransaction(transaction: BlockTransaction): Uint8Array {
  const { gas, to, value, input } = transaction;
  switch (transaction.type) {
    case "0x7e": {
      const { sourceHash, from, mint, isSystemTx } = transaction;
      const isSystem = isSystemTx === true ? 1n : 0n;
      return typedBytes(transaction.type, [sourceHash, from, to, mint ?? 0n, value, gas, isSystem, input]);
    }
    case "0x6a":
      return typedBytes(transaction.type, [transaction.chainId, input]);
  }
  const { nonce, r, s } = transaction;
  if (transaction.type === "0x0")
    return RLP.encode([nonce, transaction.gasPrice, gas, to, value, input, transaction.v, r, s]);
  const signature = [transaction.yParity ?? transaction.v ?? 0n, r, s];
  const access = transaction.accessList.map(({ address, storageKeys }) => [address, storageKeys]);
  const typed = (...fields: Input[]): Uint8Array => typedBytes(transaction.type, [...fields, ...signature]);
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

function typedBytes(type: string, fields: Input[]): Uint8Array {
  return getBytes(concat([Uint8Array.of(Number(type)), RLP.encode(fields)]));
}

/**
 * Returns the bytes of a block's transactions as in its trie. Those of an unknown type come from the node: their hash
 * is the transaction's, and the block's header covers it.
 * @param refusal Builds the error for a transaction without bytes
 */
export async function transactionBytesOf(
  rpc: Pick<Rpc, "call">,
  transactions: readonly (BlockTransaction | UnknownTransaction)[],
  refusal: (why: string) => Error,
): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for (const [index, transaction] of transactions.entries()) {
    all.push(
      transaction.type === "unknown"
        ? await fetchBytes(rpc, index, transaction, refusal)
        : encodeTransaction(transaction),
    );
  }
  return all;
}

/** Fetches the bytes of a transaction of an unknown type; one after the other, as they are rare. */
async function fetchBytes(
  rpc: Pick<Rpc, "call">,
  index: number,
  { hash, unknownType }: UnknownTransaction,
  refusal: (why: string) => Error,
): Promise<Uint8Array> {
  const method = "eth_getRawTransactionByHash";
  const bytes = await lookUp(rpc, Data, method, [hexlify(hash)]).catch(ifNodeError(undefined));
  if (bytes !== undefined && keccak256(bytes) === hexlify(hash)) return bytes;
  throw refusal(
    `transaction ${index} has the type ${unknownType}, which this version does not encode, and the node does not ` +
      `return its bytes (${method})`,
  );
}
