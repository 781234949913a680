import { expect } from "chai";
import { getBytes, hexlify } from "ethers";
import fc from "fast-check";
import {
  type BftExtraData,
  type BftProtocol,
  decodeExtraData,
  encodeExtraData,
  encodeForBlockHash,
  encodeForSeals,
  hasCommitQuorum,
  commitSignersOf,
  consensusOf,
} from "../../../../server/chain/evidence/consensus-seals.ts";
import { BlockHeader } from "../../../../server/chain/evidence/block-header.ts";
import { sealBlock, testValidators } from "../../../support/bft-chain.ts";
import { refusal } from "../../../support/refusal.ts";

const GENESIS = {
  ibft2:
    "0xf853a00000000000000000000000000000000000000000000000000000000000000000ea94be068f726a13c8d46c44be6ce9d275600e17" +
    "35a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193808400000000c0",
  qbft:
    "0xf84fa00000000000000000000000000000000000000000000000000000000000000000ea94be068f726a13c8d46c44be6ce9d275600e17" +
    "35a4945ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193c080c0",
} as const;
const PROTOCOLS: readonly BftProtocol[] = ["ibft2", "qbft"];
const VALIDATORS = ["0xbe068f726a13c8d46c44be6ce9d275600e1735a4", "0x5ff6f4b66a46a2b2310a6f3a93aaddc0d9a1c193"];

/** The fields of a block that a node returns. */
const block = {
  parentHash: `0x${"11".repeat(32)}`,
  sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
  miner: VALIDATORS[0],
  stateRoot: `0x${"22".repeat(32)}`,
  transactionsRoot: `0x${"33".repeat(32)}`,
  receiptsRoot: `0x${"44".repeat(32)}`,
  logsBloom: `0x${"00".repeat(256)}`,
  difficulty: "0x1",
  number: "0x10",
  gasLimit: "0x47b760",
  gasUsed: "0x0",
  timestamp: "0x5b3c3d18",
  nonce: "0x0000000000000000",
  extraData: "0x",
};

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const vote = (protocol: BftProtocol): fc.Arbitrary<BftExtraData["vote"]> =>
  fc.oneof(
    fc.constant<BftExtraData["vote"]>(protocol === "ibft2" ? new Uint8Array() : []),
    bytes(20).map((validator): BftExtraData["vote"] => [validator, Uint8Array.of(0xff)]),
  );
const extraData = (protocol: BftProtocol): fc.Arbitrary<BftExtraData> =>
  fc.record({
    vanity: bytes(32),
    validators: fc.array(bytes(20), { maxLength: 10 }),
    vote: vote(protocol),
    round: fc.nat({ max: 0xffff_ffff }),
    seals: fc.array(bytes(65), { maxLength: 10 }),
  });

describe("extra data of BFT chains", () => {
  for (const protocol of PROTOCOLS) {
    it(`of ${protocol} are decoded and encoded as in a genesis block`, () => {
      const read = decodeExtraData(protocol, getBytes(GENESIS[protocol]));
      expect(read.validators.map((address) => hexlify(address))).to.deep.equal(VALIDATORS);
      expect(read).to.deep.include({ vanity: new Uint8Array(32), round: 0, seals: [] });
      expect(hexlify(encodeExtraData(protocol, read))).to.equal(GENESIS[protocol]);
    });

    it(`of ${protocol} round-trip`, () => {
      fc.assert(
        fc.property(extraData(protocol), (data) => {
          expect(decodeExtraData(protocol, encodeExtraData(protocol, data))).to.deep.equal(data);
        }),
      );
    });

    it(`of ${protocol} have the same hash for all rounds and seals, and other seals for each round`, () => {
      fc.assert(
        fc.property(extraData(protocol), extraData(protocol), (data, other) => {
          const moved = { ...data, round: other.round, seals: other.seals };
          expect(encodeForBlockHash(protocol, moved)).to.deep.equal(encodeForBlockHash(protocol, data));
          expect(encodeForSeals(protocol, { ...data, seals: other.seals })).to.deep.equal(
            encodeForSeals(protocol, data),
          );
          fc.pre(data.round !== other.round);
          expect(encodeForSeals(protocol, moved)).to.not.deep.equal(encodeForSeals(protocol, data));
        }),
      );
    });

    it(`of ${protocol} identify the validators that sealed the block, in any round`, () => {
      const validators = testValidators(4);
      for (const round of [0, 1, 127, 128, 70_000]) {
        const signers = validators.keys.slice(1);
        const { hash, ...fields } = sealBlock(block, { protocol, validators, round, signers });
        const header = BlockHeader.parse(fields);
        expect(commitSignersOf(protocol, header).map((address) => address.toLowerCase())).to.deep.equal(
          validators.addresses.slice(1),
        );
        const consensus = consensusOf(header, getBytes(String(hash)));
        expect(consensus?.protocol).to.equal(protocol);
        expect(consensus?.validators.map((address) => hexlify(address))).to.deep.equal(validators.addresses);
      }
    });

    it(`of ${protocol} show whether a quorum of validators sealed the block`, () => {
      const validators = testValidators(4);
      const [a, b, c, d] = validators.keys;
      const [other] = testValidators(1, "other").keys;
      if (a === undefined || b === undefined || c === undefined || d === undefined || other === undefined)
        throw new Error("there are four");
      const sealedBy = (...signers: (typeof a)[]): boolean => {
        const { extraData } = sealBlock(block, { protocol, validators, round: 1, signers });
        return hasCommitQuorum(protocol, BlockHeader.parse({ ...block, extraData }));
      };
      expect([sealedBy(a, b, c), sealedBy(d, a, c, b)]).to.deep.equal([true, true]);
      expect([sealedBy(), sealedBy(a, b), sealedBy(a, b, b), sealedBy(a, b, c, other)]).to.deep.equal([
        false,
        false,
        false,
        false,
      ]);
    });

    it(`of ${protocol} are rejected in any other form`, () => {
      for (const wrong of [
        "0x",
        "0x00",
        "0xc0",
        `${GENESIS[protocol]}00`,
        GENESIS[protocol].replace("c0", "c1").slice(0, -2),
      ]) {
        expect(refusal(() => decodeExtraData(protocol, getBytes(wrong))).path, wrong).to.equal("extraData");
      }
    });
  }

  it("are rejected for another protocol", () => {
    const header = BlockHeader.parse({ ...block, extraData: GENESIS.ibft2 });
    expect(consensusOf(header, new Uint8Array(32))).to.equal(undefined);
    expect(refusal(() => decodeExtraData("ibft2", getBytes(GENESIS.qbft))).message).to.equal(
      "has a round that is not 4 bytes",
    );
  });
});
