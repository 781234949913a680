import { type NestedUint8Array, RLP } from "@ethereumjs/rlp";
import { malformed } from "../../errors.ts";
import { hex } from "../../kit/hex.ts";

/** Consensus protocols whose validators seal each block. */
export type BftProtocol = "ibft2" | "qbft";

type RlpItem = Uint8Array | NestedUint8Array;

/** What a header's extra data hold on a BFT chain. */
export interface BftExtraData {
  /** 32 bytes without a meaning. */
  readonly vanity: Uint8Array;
  /** Addresses of those who may seal the block. */
  readonly validators: readonly Uint8Array[];
  /** As it stands there; without a vote an empty text (IBFT 2.0) or an empty list (QBFT). */
  readonly vote: RlpItem;
  /** How often the validators had to try before they agreed. */
  readonly round: number;
  /** The validators' signatures, 65 bytes each. */
  readonly seals: readonly Uint8Array[];
}

const ROUND_LENGTH = 4;

/** @throws SealbookError `malformed` */
export function decodeExtraData(protocol: BftProtocol, bytes: Uint8Array): BftExtraData {
  const [vanity, validators, vote, round, seals, ...others] = listOf(decoded(bytes));
  if (vote === undefined || others.length > 0) throw malformed("extraData", "is not a list of five");
  const roundBytes = bytesOf(round);
  if (protocol === "ibft2" && roundBytes.length !== ROUND_LENGTH)
    throw malformed("extraData", "has a round that is not 4 bytes");
  return {
    vanity: bytesOf(vanity),
    validators: listOf(validators).map(bytesOf),
    vote,
    round: Number(`0x0${hex(roundBytes)}`),
    seals: listOf(seals).map(bytesOf),
  };
}

/** Whole, as a node has them. */
export function encodeExtraData(
  protocol: BftProtocol,
  { vanity, validators, vote, round, seals }: BftExtraData,
): Uint8Array {
  return RLP.encode([vanity, [...validators], vote, roundItem(protocol, round), [...seals]]);
}

/** As the block's hash covers them: the same whichever validators sealed the block, and in whichever round. */
export function encodeForBlockHash(protocol: BftProtocol, data: BftExtraData): Uint8Array {
  if (protocol === "qbft") return encodeExtraData(protocol, { ...data, round: 0, seals: [] });
  return RLP.encode([data.vanity, [...data.validators], data.vote]);
}

/** As the validators' seals cover them: with the round, without the seals. */
export function encodeForSeals(protocol: BftProtocol, data: BftExtraData): Uint8Array {
  if (protocol === "qbft") return encodeExtraData(protocol, { ...data, seals: [] });
  return RLP.encode([data.vanity, [...data.validators], data.vote, roundItem(protocol, data.round)]);
}

/** IBFT 2.0 writes it in four bytes, QBFT as any number. */
function roundItem(protocol: BftProtocol, round: number): Uint8Array | number {
  if (protocol === "qbft") return round;
  const bytes = Buffer.alloc(ROUND_LENGTH);
  bytes.writeUInt32BE(round);
  return bytes;
}

function decoded(bytes: Uint8Array): RlpItem {
  try {
    return RLP.decode(bytes);
  } catch (error) {
    throw malformed("extraData", "is not RLP", error);
  }
}

function listOf(item: RlpItem | undefined): RlpItem[] {
  if (!Array.isArray(item)) throw malformed("extraData", "has no list where one is expected");
  return item;
}

function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (!(item instanceof Uint8Array)) throw malformed("extraData", "has no bytes where they are expected");
  return item;
}
