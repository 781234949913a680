import { expect } from "chai";
import { hexlify, id, toQuantity, Transaction, type TransactionLike, Wallet } from "ethers";
import fc from "fast-check";
import { BlockTransaction, encodeTransaction } from "../../../../server/chain/evidence/transaction-encoding.ts";

const sender = new Wallet(id("a sender"));
const bytes = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((all) => hexlify(all));
const amount = fc.bigInt({ min: 0n, max: 2n ** 80n });

const fields = fc.record({
  nonce: fc.nat(),
  gasLimit: fc.nat(),
  to: bytes(20),
  value: amount,
  data: bytes(0, 100),
  price: amount,
  chainId: fc.integer({ min: 1, max: 2 ** 40 }),
  accessList: fc.array(fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }), {
    maxLength: 3,
  }),
  blobVersionedHashes: fc.array(
    bytes(31).map((rest) => `0x01${rest.slice(2)}`),
    { minLength: 1, maxLength: 3 },
  ),
  authorized: bytes(20),
});

/** A transaction in JSON-RPC. */
function fieldsOf(transaction: Transaction): Record<string, unknown> {
  const { type, signature, accessList, chainId, authorizationList } = transaction;
  if (signature === null || type === null) throw new Error("it is not signed");
  const quantities = {
    nonce: transaction.nonce,
    gas: transaction.gasLimit,
    value: transaction.value,
    gasPrice: transaction.gasPrice ?? 0,
    maxFeePerGas: transaction.maxFeePerGas ?? 0,
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas ?? 0,
    maxFeePerBlobGas: transaction.maxFeePerBlobGas ?? 0,
    chainId,
    r: BigInt(signature.r),
    s: BigInt(signature.s),
  };
  return {
    ...Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, toQuantity(value)])),
    type: toQuantity(type),
    hash: transaction.hash,
    to: transaction.to,
    input: transaction.data,
    accessList: accessList ?? [],
    blobVersionedHashes: transaction.blobVersionedHashes ?? [],
    authorizationList: (authorizationList ?? []).map(
      ({ address, nonce, chainId: chain, signature: { r, s, yParity } }) => ({
        address,
        nonce: toQuantity(nonce),
        chainId: toQuantity(chain),
        yParity: toQuantity(yParity),
        r: toQuantity(BigInt(r)),
        s: toQuantity(BigInt(s)),
      }),
    ),
    ...(type === 0
      ? { v: toQuantity(signature.networkV ?? signature.v) }
      : { v: toQuantity(signature.yParity), yParity: toQuantity(signature.yParity) }),
  };
}

describe("transactions of a block", () => {
  for (const type of [0, 1, 2, 3, 4]) {
    it(`of type ${type} are encoded as ethers encodes them`, async () => {
      await fc.assert(
        fc.asyncProperty(fields, async ({ price, blobVersionedHashes, authorized, accessList, ...common }) => {
          const like: TransactionLike = {
            ...common,
            type,
            ...(type < 2 ? { gasPrice: price } : { maxFeePerGas: price, maxPriorityFeePerGas: price / 2n }),
            ...(type === 0 ? {} : { accessList }),
            ...(type === 3 ? { blobVersionedHashes, maxFeePerBlobGas: price } : {}),
            ...(type === 4
              ? {
                  authorizationList: [
                    await sender.authorize({ address: authorized, nonce: common.nonce, chainId: common.chainId }),
                  ],
                }
              : {}),
          };
          const transaction = Transaction.from(await sender.signTransaction(like));
          const rpc = fieldsOf(transaction);
          expect(hexlify(encodeTransaction(BlockTransaction.parse(rpc)))).to.equal(transaction.serialized);
          // Some nodes leave out what follows from the rest.
          const { type: _, yParity: __, ...less } = rpc;
          const shorter = type === 0 ? less : { ...less, type: rpc["type"] };
          expect(hexlify(encodeTransaction(BlockTransaction.parse(shorter)))).to.equal(transaction.serialized);
        }),
        { numRuns: 25 },
      );
    });
  }

  it("of an unknown type are rejected", () => {
    expect(BlockTransaction.safeParse({ type: "0x7f" }).success).to.equal(false);
    expect(BlockTransaction.safeParse(null).success).to.equal(false);
  });
});
