import { RLP } from "@ethereumjs/rlp";
import { getBytes, keccak256 } from "ethers";
import * as z from "zod";
import { BigQuantity, Data } from "../rpc/query.ts";

/** The mix hash of every block of a BFT chain; some nodes leave it out. */
const BFT_MIX_HASH = new Uint8Array(
  Buffer.from("63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365", "hex"),
);

/** A block's header, its fields as bytes and numbers for RLP. The fields after the nonce came with later forks. */
export const BlockHeader = z.object({
  parentHash: Data,
  sha3Uncles: Data,
  miner: Data,
  stateRoot: Data,
  transactionsRoot: Data,
  receiptsRoot: Data,
  logsBloom: Data,
  difficulty: BigQuantity,
  number: BigQuantity,
  gasLimit: BigQuantity,
  gasUsed: BigQuantity,
  timestamp: BigQuantity,
  extraData: Data,
  mixHash: Data.default(BFT_MIX_HASH),
  nonce: Data,
  baseFeePerGas: BigQuantity.nullish(),
  withdrawalsRoot: Data.nullish(),
  blobGasUsed: BigQuantity.nullish(),
  excessBlobGas: BigQuantity.nullish(),
  parentBeaconBlockRoot: Data.nullish(),
  requestsHash: Data.nullish(),
  blockAccessListHash: Data.nullish(),
  slotNumber: BigQuantity.nullish(),
});

/** A header with the block's hash. Other fields of the response stay, for {@link unknownFields}. */
export const HashedHeader = BlockHeader.extend({ hash: Data }).loose();

/** Fields of a block that are not part of its header. */
const OTHER_FIELDS = new Set(["hash", "size", "totalDifficulty", "transactions", "uncles", "withdrawals"]);

/** As {@link BlockHeader} reads it. */
export type BlockHeader = z.output<typeof BlockHeader>;

/** Encodes a header as RLP; on a chain without commit seals its hash is the block's. */
export function encodeHeader(header: BlockHeader): Uint8Array {
  const always = [
    header.parentHash,
    header.sha3Uncles,
    header.miner,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    header.difficulty,
    header.number,
    header.gasLimit,
    header.gasUsed,
    header.timestamp,
    header.extraData,
    header.mixHash,
    header.nonce,
  ];
  const later = [
    header.baseFeePerGas,
    header.withdrawalsRoot,
    header.blobGasUsed,
    header.excessBlobGas,
    header.parentBeaconBlockRoot,
    header.requestsHash,
    header.blockAccessListHash,
    header.slotNumber,
  ];
  return RLP.encode([...always, ...later.filter((field) => field !== undefined && field !== null)]);
}

/** Returns the keccak-256 of the header's RLP. */
export function hashHeader(header: BlockHeader): Uint8Array {
  return getBytes(keccak256(encodeHeader(header)));
}

/** Returns the names of a block's fields that {@link encodeHeader} does not know: a later fork can have added them. */
export function unknownFields(block: object): string[] {
  return Object.keys(block).filter((name) => !(name in BlockHeader.shape || OTHER_FIELDS.has(name)));
}
