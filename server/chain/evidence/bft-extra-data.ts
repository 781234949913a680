import { type NestedUint8Array, RLP } from "@ethereumjs/rlp";
import { malformed } from "../../errors.ts";
import { hex } from "../../kit/hex.ts";

/** Consensus protocols with commit seals in each block. */
export type BftProtocol = "ibft2" | "qbft";

type RlpItem = Uint8Array | NestedUint8Array;

/** The content of a header's extra data on a BFT chain. */
export interface BftExtraData {
  /** 32 arbitrary bytes. */
  readonly vanity: Uint8Array;
  /** Addresses of the block's validators. */
  readonly validators: readonly Uint8Array[];
  /** Undecoded; without a vote an empty string (IBFT 2.0) or an empty list (QBFT). */
  readonly vote: RlpItem;
  /** Number of round changes before the validators agreed. */
  readonly round: number;
  /** The commit seals: signatures of validators, 65 bytes each. */
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

/** Encodes extra data as nodes return them. */
export function encodeExtraData(
  protocol: BftProtocol,
  { vanity, validators, vote, round, seals }: BftExtraData,
): Uint8Array {
  return RLP.encode([vanity, [...validators], vote, roundItem(protocol, round), [...seals]]);
}

/** Encodes extra data as the block's hash covers them: independent of the round and the commit seals. */
export function encodeForBlockHash(protocol: BftProtocol, data: BftExtraData): Uint8Array {
  if (protocol === "qbft") return encodeExtraData(protocol, { ...data, round: 0, seals: [] });
  return RLP.encode([data.vanity, [...data.validators], data.vote]);
}

/** Encodes extra data as the commit seals cover them: with the round, without the seals. */
export function encodeForSeals(protocol: BftProtocol, data: BftExtraData): Uint8Array {
  if (protocol === "qbft") return encodeExtraData(protocol, { ...data, seals: [] });
  return RLP.encode([data.vanity, [...data.validators], data.vote, roundItem(protocol, data.round)]);
}

/** IBFT 2.0 encodes the round in four bytes, QBFT as an RLP number. */
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
