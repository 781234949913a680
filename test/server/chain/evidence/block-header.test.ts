import { expect } from "chai";
import { hexlify, keccak256 } from "ethers";
import { BlockHeader, encodeHeader, unknownFields } from "../../../../server/chain/evidence/block-header.ts";

const BLOOM = "00".repeat(256);

describe("block headers", () => {
  /** A header of the Amsterdam fork with its RLP and hash, encoded by go-ethereum 1.17.10. */
  const header = {
    parentHash: "0x0101010101010101010101010101010101010101010101010101010101010101",
    sha3Uncles: "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347",
    miner: "0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5",
    stateRoot: "0x0202020202020202020202020202020202020202020202020202020202020202",
    transactionsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
    receiptsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
    logsBloom: `0x${BLOOM}`,
    difficulty: "0x0",
    number: "0x17d7840",
    gasLimit: "0x3938700",
    gasUsed: "0x0",
    timestamp: "0x6ab13b80",
    extraData: "0x67657468",
    mixHash: "0x0303030303030303030303030303030303030303030303030303030303030303",
    nonce: "0x0000000000000000",
    baseFeePerGas: "0x3b9aca07",
    withdrawalsRoot: "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421",
    blobGasUsed: "0x0",
    excessBlobGas: "0x20000",
    parentBeaconBlockRoot: "0x0404040404040404040404040404040404040404040404040404040404040404",
    requestsHash: "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    blockAccessListHash: "0x0505050505050505050505050505050505050505050505050505050505050505",
    slotNumber: "0xb71b00",
    hash: "0x19ee8d20e1c8deba81e51b15a2fe2bcdbe432ded91a82d80c0049f497dad2fac",
  };
  const encoded =
    "0xf9028fa00101010101010101010101010101010101010101010101010101010101010101a01dcc4de8dec75d7aab85b5" +
    "67b6ccd41ad312451b948a7413f0a142fd40d493479495222290dd7278aa3ddd389cc1e1d165cc4bafe5a002020202020202" +
    "02020202020202020202020202020202020202020202020202a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc0" +
    `01622fb5e363b421a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421b901${BLOOM}` +
    "008084017d7840840393870080846ab13b808467657468a00303030303030303030303030303030303030303030303030303" +
    "030303030303880000000000000000843b9aca07a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e3" +
    "63b4218083020000a00404040404040404040404040404040404040404040404040404040404040404a0e3b0c44298fc1c14" +
    "9afbf4c8996fb92427ae41e4649b934ca495991b7852b855a005050505050505050505050505050505050505050505050505" +
    "0505050505050583b71b00";

  it("are encoded as go-ethereum encodes them, with the fields of all forks", () => {
    expect(hexlify(encodeHeader(BlockHeader.parse(header)))).to.equal(encoded);
    expect(keccak256(encodeHeader(BlockHeader.parse(header)))).to.equal(header.hash);
  });

  it("end with the fields of their fork", () => {
    const { blockAccessListHash, slotNumber, ...prague } = header;
    expect(blockAccessListHash).to.have.length(66);
    expect(slotNumber).to.equal("0xb71b00");
    expect(keccak256(encodeHeader(BlockHeader.parse(prague)))).to.equal(
      "0xb972c354e2c79ff989b135fffb4dbd9d1f38124c518226639932d848cb449163",
    );
  });

  it("name the fields of later forks", () => {
    expect(unknownFields({ ...header, size: "0x1", transactions: [], uncles: [], withdrawals: [] })).to.deep.equal([]);
    expect(unknownFields({ ...header, laterRoot: "0x" })).to.deep.equal(["laterRoot"]);
  });
});
