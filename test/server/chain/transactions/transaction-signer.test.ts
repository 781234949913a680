import { expect } from "chai";
import { computeAddress, getBytes, hexlify, Transaction } from "ethers";
import fc from "fast-check";
import { ownKey } from "../../../../server/chain/keys/relayer-key.ts";
import { type GasFee, legacyFee } from "../../../../server/chain/transactions/fees.ts";
import { feeOf, isFiller, transactionSigner } from "../../../../server/chain/transactions/transaction-signer.ts";

const KEY = `0x${"5e".repeat(32)}`;
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => hexlify(bytes));
const wei = fc.bigInt({ min: 0n, max: 10n ** 12n });
const fee: fc.Arbitrary<GasFee> = fc.oneof(
  wei.map(legacyFee),
  fc.tuple(wei, wei).map(([base, tip]): GasFee => ({ kind: "eip1559", max: base + tip, tip })),
);

describe("transactionSigner", () => {
  it("creates transactions that other libraries decode correctly", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2 ** 40 }),
        fee,
        fc.nat(2 ** 31 - 1),
        address,
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        async (chainId, paid, nonce, to, data) => {
          const signer = transactionSigner(ownKey(KEY), chainId);
          const signed = await signer.sign({ id: 1, purpose: "anchor", to, data }, nonce, paid);
          const read = Transaction.from(hexlify(signed.raw));
          expect(read.from).to.equal(computeAddress(KEY)).and.equal(signer.address);
          expect(read.to?.toLowerCase()).to.equal(to);
          expect([read.chainId, read.nonce, read.value]).to.deep.equal([BigInt(chainId), nonce, 0n]);
          const { type, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = read;
          expect({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas }).to.deep.equal(
            paid.kind === "legacy"
              ? { type: 0, gasPrice: paid.max, maxFeePerGas: null, maxPriorityFeePerGas: null }
              : { type: 2, gasPrice: null, maxFeePerGas: paid.max, maxPriorityFeePerGas: paid.tip },
          );
          expect(getBytes(read.data)).to.deep.equal(data);
          expect(Number(read.gasLimit)).to.equal(300_000 + 40 * data.length);
          expect(read.hash).to.equal(hexlify(signed.hash));
          // The same bytes as the library makes of it: nothing is written in two ways.
          expect(read.serialized).to.equal(hexlify(signed.raw));
          expect([feeOf(signed), isFiller(signed)]).to.deep.equal([paid, false]);
        },
      ),
    );
  });

  it("signs a transaction again with another fee and nothing else changed", async () => {
    await fc.assert(
      fc.asyncProperty(fee, fee, address, fc.uint8Array({ maxLength: 300 }), async (before, after, to, data) => {
        const signer = transactionSigner(ownKey(KEY), 7326);
        const call = { id: 3, purpose: "anchor", to, data } as const;
        const again = await signer.withFee(await signer.sign(call, 9, before), after);
        expect(again).to.deep.equal(await signer.sign(call, 9, after));
      }),
    );
  });

  it("fills a nonce with an empty transaction to the key itself", async () => {
    const signer = transactionSigner(ownKey(KEY), 7326);
    const filler = await signer.filler(0, legacyFee(0n));
    const { from, to, data, nonce, gasLimit } = Transaction.from(hexlify(filler.raw));
    expect({ from, to, data, nonce, gasLimit }).to.deep.equal({
      from: signer.address,
      to: signer.address,
      data: "0x",
      nonce: 0,
      gasLimit: 21_000n,
    });
    expect(isFiller(filler)).to.equal(true);
  });
});
