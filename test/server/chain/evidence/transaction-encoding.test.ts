import { expect } from "chai";
import { decodeRlp, hexlify, id, keccak256, toQuantity, Transaction, type TransactionLike, Wallet } from "ethers";
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

  it("of type 4 may have authorizations that no key signed: anyone can put them into a block", async () => {
    const authorization = await sender.authorize({ address: `0x${"12".repeat(20)}`, nonce: 1, chainId: 5 });
    const like = { type: 4, to: sender.address, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n, gasLimit: 9n, chainId: 5 };
    const signed = await sender.signTransaction({ ...like, nonce: 3, authorizationList: [authorization] });
    const rpc = fieldsOf(Transaction.from(signed));
    const { address } = authorization;
    const invented = { chainId: "0x5", address, nonce: "0x1", yParity: "0xff", r: "0x0", s: "0x0" };
    const encoded = encodeTransaction(BlockTransaction.parse({ ...rpc, authorizationList: [invented] }));
    const list = [["0x05", address.toLowerCase(), "0x01", "0xff", "0x", "0x"]];
    expect(decodeRlp(encoded.slice(1)))
      .to.have.property("9")
      .that.deep.equals(list);
  });

  // Transactions of the chains, as their nodes return them.
  for (const [chain, transaction] of [
    [
      "OP Mainnet, block 134217728",
      {
        hash: "0xfef32a4fab45b73e89e64ba640ef261009a157c64617956ab64e831856f928f7",
        type: "0x7e",
        from: "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001",
        to: "0x4200000000000000000000000000000000000015",
        gas: "0xf4240",
        gasPrice: "0x0",
        nonce: "0x1ba3d8a",
        value: "0x0",
        input:
          "0x440a5e200000146b000f79c500000000000000030000000067f3d96300000000015302f100000000000000000000000000" +
          "000000000000000000000000000002438e769a000000000000000000000000000000000000000000000000000000019ac964" +
          "ba5f3511f78ffce1555042a48961196583ef9de7ab6384226fda712273645e02610000000000000000000000006887246668" +
          "a3b87f54deb3b94ba47a6f63f32985",
        sourceHash: "0x883aa371d61056b40ec30d9b74257103351b24d70eb8063940f19f7510e39799",
        mint: "0x0",
        depositReceiptVersion: "0x1",
        r: "0x0",
        s: "0x0",
        v: "0x0",
        yParity: "0x0",
      },
    ],
    [
      "an OP-stack chain before Regolith",
      {
        hash: "0x035437471437d2e61be662be806ea7a3603e37230e13f1c04e36e8ca891e9611",
        type: "0x7e",
        from: "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001",
        to: "0x4200000000000000000000000000000000000015",
        gas: "0x8f0d180",
        value: "0x0",
        input:
          "0x015d8eb9000000000000000000000000000000000000000000000000000000000080977900000000000000000000000000" +
          "00000000000000000000000000000063dd1a98000000000000000000000000000000000000000000000000000000000004ee" +
          "2f1ed96835176d084c845bd2c09456d60401d74861b690bdabac97f6724f4b4bdf0000000000000000000000000000000000" +
          "0000000000000000000000000000020000000000000000000000007431310e026b69bfc676c0013e12a1a11411eec9000000" +
          "0000000000000000000000000000000000000000000000000000000834000000000000000000000000000000000000000000" +
          "00000000000000000f4240",
        sourceHash: "0xe498acd8ac4c577ba87349e5f649034404485515ba7f2fa3b8dfda726dd62c16",
        isSystemTx: true,
        mint: null,
      },
    ],
    [
      "Arbitrum One, block 201326592",
      {
        hash: "0x431a1c991fe68597f472ddd6e675570b5e1e0825ea90da5195709658e77bfede",
        type: "0x6a",
        chainId: "0xa4b1",
        from: "0x00000000000000000000000000000000000a4b05",
        to: "0x00000000000000000000000000000000000a4b05",
        gas: "0x0",
        gasPrice: "0x0",
        nonce: "0x0",
        value: "0x0",
        input:
          "0x6bf6a42d000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000" +
          "000000000000000000000000000000012c04c1000000000000000000000000000000000000000000000000000000000c0000" +
          "000000000000000000000000000000000000000000000000000000000000000000",
        r: "0x0",
        s: "0x0",
        v: "0x0",
      },
    ],
  ] as const) {
    it(`of ${chain} have their hash`, () => {
      expect(keccak256(encodeTransaction(BlockTransaction.parse(transaction)))).to.equal(transaction.hash);
    });
  }
});
