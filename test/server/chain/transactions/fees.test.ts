import { expect } from "chai";
import { toQuantity } from "ethers";
import fc from "fast-check";
import { NodeError } from "../../../../server/chain/rpc/node-error.ts";
import {
  feeFaults,
  type FeeConfig,
  FeeSource,
  type FeeQuote,
  type GasFee,
  isTooLow,
  legacyFee,
  replacementFee,
} from "../../../../server/chain/transactions/fees.ts";
import { FEES } from "../../../support/fees.ts";

const GWEI = 10n ** 9n;
const RELAYER = "0x5AA5B164215A310E59463e97b68264b00ae9AFE4";

/** Responses of a node, in wei; a method without one does not exist. */
interface Chain {
  /** Unset on a chain without a base fee. */
  readonly baseFee?: bigint;
  readonly nextBaseFee?: bigint;
  readonly rewards?: readonly bigint[];
  readonly tip?: bigint;
  readonly gasPrice?: bigint;
}

function quoteOf({ baseFee, nextBaseFee, rewards, tip, gasPrice }: Chain, config: Partial<FeeConfig> = {}) {
  const lacking = (method: string) => new NodeError(`the method ${method} does not exist`, -32601, undefined);
  const call = async (method: string): Promise<unknown> => {
    switch (method) {
      case "eth_getBlockByNumber":
        return baseFee === undefined ? {} : { baseFeePerGas: toQuantity(baseFee) };
      case "eth_feeHistory":
        if (nextBaseFee === undefined) throw lacking(method);
        return {
          baseFeePerGas: [toQuantity(baseFee ?? 0n), toQuantity(nextBaseFee)],
          reward: rewards?.map((each) => [toQuantity(each)]) ?? null,
        };
      case "eth_maxPriorityFeePerGas":
        if (tip === undefined) throw lacking(method);
        return toQuantity(tip);
      case "eth_gasPrice":
        if (gasPrice === undefined) throw lacking(method);
        return toQuantity(gasPrice);
      default:
        throw lacking(method);
    }
  };
  return new FeeSource({ call }, { ...FEES, ...config }).quote();
}

describe("FeeSource", () => {
  it("charges nothing on a chain without fees", async () => {
    for (const chain of [{}, { gasPrice: 0n }, { baseFee: 0n, gasPrice: GWEI, tip: GWEI }])
      expect(await quoteOf(chain)).to.deep.include({ fee: legacyFee(0n), isFixed: false, fault: undefined });
  });

  it("asks a chain without a base fee for its price", async () => {
    expect((await quoteOf({ gasPrice: 5n * GWEI })).fee).to.deep.equal(legacyFee(5n * GWEI));
  });

  it("signs for EIP-1559 on a chain with a base fee: twice that of the next block, and the tip", async () => {
    const chain = { baseFee: 8n * GWEI, nextBaseFee: 9n * GWEI, tip: 2n * GWEI };
    const quote = await quoteOf(chain);
    expect(quote.fee).to.deep.equal({ kind: "eip1559", max: 20n * GWEI, tip: 2n * GWEI });
    expect(quote.baseFee).to.equal(9n * GWEI);
  });

  it("takes the usual tip of the last blocks where the node suggests none, and a gwei without blocks", async () => {
    const rewards = [1n, 7n, 3n].map((each) => each * GWEI);
    const usual = await quoteOf({ baseFee: GWEI, nextBaseFee: GWEI, rewards });
    expect(usual.fee.tip).to.equal(3n * GWEI);
    expect((await quoteOf({ baseFee: GWEI })).fee).to.deep.equal({ kind: "eip1559", max: 3n * GWEI, tip: GWEI });
  });

  it("uses legacy transactions where the setting says so", async () => {
    const chain = { baseFee: GWEI, nextBaseFee: GWEI, gasPrice: 3n * GWEI };
    expect((await quoteOf(chain, { mode: "legacy" })).fee).to.deep.equal(legacyFee(3n * GWEI));
    const fixed = await quoteOf(chain, { gasPrice: 2n * GWEI });
    expect(fixed).to.deep.include({ fee: legacyFee(2n * GWEI), isFixed: true, fault: undefined });
  });

  it("pays at most MAX_FEE, and names the setting that is too low", async () => {
    const chain = { baseFee: 10n * GWEI, nextBaseFee: 10n * GWEI, tip: GWEI };
    const enough = await quoteOf(chain, { maxFee: 12n * GWEI });
    expect(enough).to.deep.include({ fee: { kind: "eip1559", max: 12n * GWEI, tip: GWEI }, fault: undefined });
    expect((await quoteOf(chain, { maxFee: 9n * GWEI })).fault).to.match(
      /^MAX_FEE is 9 gwei but the chain asks for 10 gwei a unit of gas;/,
    );
    expect((await quoteOf(chain, { gasPrice: 0n })).fault).to.equal(
      "GAS_PRICE is 0 gwei but the chain's base fee is 10 gwei; unset GAS_PRICE, or set it higher",
    );
    expect((await quoteOf({}, { mode: "eip1559" })).fault).to.match(/^FEE_MODE is eip1559, but/);
  });
});

describe("fees of replacements", () => {
  const wei = fc.bigInt({ min: 0n, max: 300n * GWEI });
  const fee: fc.Arbitrary<GasFee> = fc.oneof(
    wei.map(legacyFee),
    fc.tuple(wei, wei).map(([base, tip]): GasFee => ({ kind: "eip1559", max: base + tip, tip })),
  );
  const quote = fc.record({ fee, baseFee: wei, isFixed: fc.boolean(), limit: wei, fault: fc.constant(undefined) });

  it("are an eighth higher than before in both parts, as much as quoted, and never above the limit", () => {
    fc.assert(
      fc.property(fee, quote, (before, quoted) => {
        const after = replacementFee(before, quoted);
        if (after === undefined) return;
        expect(quoted.isFixed).to.equal(false);
        expect(after.kind).to.equal(quoted.fee.kind);
        for (const part of ["max", "tip"] as const) {
          expect(after[part] * 8n >= before[part] * 9n, `${part} rises`).to.equal(true);
          expect(after[part] >= quoted.fee[part]).to.equal(true);
          expect(after[part] <= quoted.limit).to.equal(true);
        }
        expect(after.tip <= after.max).to.equal(true);
        if (after.kind === "legacy") expect(after.tip).to.equal(after.max);
      }),
    );
  });

  it("are needed when the next block costs more, or a higher tip is usual for a minute", () => {
    const quoted: FeeQuote = {
      fee: { kind: "eip1559", max: 20n, tip: 3n },
      ...{ baseFee: 10n, isFixed: false, limit: 100n, fault: undefined },
    };
    const paid = (max: bigint, tip: bigint): GasFee => ({ kind: "eip1559", max, tip });
    expect(isTooLow(paid(9n, 3n), quoted, 0)).to.equal(true);
    expect(isTooLow(paid(10n, 2n), quoted, 59_999)).to.equal(false);
    expect(isTooLow(paid(10n, 2n), quoted, 60_000)).to.equal(true);
    expect(isTooLow(paid(10n, 3n), quoted, 60_000)).to.equal(false);
  });
});

describe("faults of what the relayer pays", () => {
  const quoted = (max: bigint, fault?: string): FeeQuote => ({
    fee: legacyFee(max),
    ...{ baseFee: 0n, isFixed: false, limit: max, fault },
  });

  it("are none on a free chain, and with money for 500 transactions", () => {
    expect(feeFaults(RELAYER, 0n, quoted(0n))).to.deep.equal([]);
    expect(feeFaults(RELAYER, 500n * 100_000n * GWEI, quoted(GWEI))).to.deep.equal([]);
  });

  it("come before the money is gone, with a text that does not change with each transaction", () => {
    const message = (transactions: bigint) =>
      feeFaults(RELAYER, transactions * 100_000n * GWEI, quoted(GWEI))[0]?.message;
    expect(message(499n)).to.include("fewer than 512 transactions").and.include(RELAYER);
    expect(message(256n)).to.equal(message(499n));
    expect(message(0n)).to.include("no transaction");
  });

  it("name the setting", () => {
    expect(feeFaults(RELAYER, 10n ** 18n, quoted(1n, "MAX_FEE is too low"))).to.deep.equal([
      { kind: "degraded_performance", subject: "fee", message: "MAX_FEE is too low" },
    ]);
  });
});
