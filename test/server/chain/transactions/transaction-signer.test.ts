import { expect } from "chai";
import { computeAddress, getBytes, hexlify, Transaction } from "ethers";
import fc from "fast-check";
import { ownKey } from "../../../../server/chain/keys/relayer-key.ts";
import { transactionSigner } from "../../../../server/chain/transactions/transaction-signer.ts";

const KEY = `0x${"5e".repeat(32)}`;
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => hexlify(bytes));

describe("transactionSigner", () => {
  it("creates transactions that other libraries decode correctly", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2 ** 40 }),
        fc.bigInt({ min: 0n, max: 10n ** 12n }),
        fc.nat(2 ** 31 - 1),
        address,
        fc.uint8Array({ maxLength: 300 }),
        async (chainId, gasPrice, nonce, to, data) => {
          const signer = transactionSigner(ownKey(KEY), chainId, gasPrice);
          const { raw, hash } = await signer.sign({ id: 1, purpose: "anchor", to, data }, nonce);
          const read = Transaction.from(hexlify(raw));
          expect(read.type).to.equal(0);
          expect(read.from).to.equal(computeAddress(KEY)).and.equal(signer.address);
          expect(read.to?.toLowerCase()).to.equal(to);
          expect([read.chainId, read.gasPrice, read.nonce, read.value]).to.deep.equal([
            BigInt(chainId),
            gasPrice,
            nonce,
            0n,
          ]);
          expect(getBytes(read.data)).to.deep.equal(data);
          expect(Number(read.gasLimit)).to.equal(300_000 + 40 * data.length);
          expect(read.hash).to.equal(hexlify(hash));
          // The same bytes as the library makes of it: nothing is written in two ways.
          expect(read.serialized).to.equal(hexlify(raw));
        },
      ),
    );
  });

  it("fills a nonce with an empty transaction to the key itself", async () => {
    const signer = transactionSigner(ownKey(KEY), 7326, 0n);
    const filler = await signer.filler(0);
    const { from, to, data, nonce, gasLimit } = Transaction.from(hexlify(filler.raw));
    expect({ from, to, data, nonce, gasLimit }).to.deep.equal({
      from: signer.address,
      to: signer.address,
      data: "0x",
      nonce: 0,
      gasLimit: 21_000n,
    });
  });
});
