import { type NestedUint8Array, RLP } from "@ethereumjs/rlp";
import { getAddress, hexlify, recoverAddress, Signature } from "ethers";
import { malformed, SealbookError } from "../../errors.ts";
import { hex } from "../../kit/bytes.ts";
import type { Address } from "../transaction.ts";
import { type BlockHeader, hashHeader } from "./block-header.ts";

/** Returns the quorum: the number of validators that must commit a block. */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3);
}

/** Returns how many validators can be missing while blocks still come. */
export function mostFaulty(validators: number): number {
  return validators - quorumOf(validators);
}

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

const SEAL_LENGTH = 65;

/** Returns the digest that the commit seals of a block sign. */
function sealDigest(protocol: BftProtocol, header: BlockHeader): Uint8Array {
  const extraData = encodeForSeals(protocol, decodeExtraData(protocol, header.extraData));
  return hashHeader({ ...header, extraData });
}

/**
 * Recovers the signers of a block's commit seals, in the order of the seals.
 * @throws SealbookError `malformed` for a seal that is no signature
 */
export function commitSignersOf(protocol: BftProtocol, header: BlockHeader): Address[] {
  const digest = sealDigest(protocol, header);
  return decodeExtraData(protocol, header.extraData).seals.map((seal) => {
    const recovery = seal[SEAL_LENGTH - 1] ?? 2;
    if (seal.length !== SEAL_LENGTH || recovery > 1) throw malformed("extraData", "has a seal that is no signature");
    const signature = Signature.from({
      r: hexlify(seal.subarray(0, 32)),
      s: hexlify(seal.subarray(32, 64)),
      v: 27 + recovery,
    });
    return getAddress(recoverAddress(digest, signature));
  });
}

/**
 * Checks that a quorum of a block's validators signed its commit seals, and no other key. The hash leaves the seals
 * out.
 * @throws SealbookError `malformed` for a seal that is no signature
 */
export function hasCommitQuorum(protocol: BftProtocol, header: BlockHeader): boolean {
  const validators = new Set(
    decodeExtraData(protocol, header.extraData).validators.map((validator) => getAddress(hexlify(validator))),
  );
  const signers = commitSignersOf(protocol, header);
  const isByOneEach = new Set(signers).size === signers.length;
  return (
    isByOneEach && signers.every((signer) => validators.has(signer)) && signers.length >= quorumOf(validators.size)
  );
}

const BFT_PROTOCOLS: readonly BftProtocol[] = ["qbft", "ibft2"];

/** Protocol and validators of a block. */
export interface Consensus {
  readonly protocol: ConsensusProtocol;
  readonly validators: readonly Uint8Array[];
}

/**
 * Determines the protocol of a block: each protocol hashes the same header differently. This checks the block's hash at
 * the same time.
 * @returns `undefined` when no protocol gives the block's hash
 */
export function consensusOf(header: BlockHeader, hash: Uint8Array): Consensus | undefined {
  if (Buffer.compare(hashHeader(header), hash) === 0) return { protocol: "none", validators: [] };
  for (const protocol of BFT_PROTOCOLS) {
    const extra = extraDataOf(protocol, header);
    if (extra === undefined) continue;
    const hashed = hashHeader({ ...header, extraData: encodeForBlockHash(protocol, extra) });
    if (Buffer.compare(hashed, hash) === 0) return { protocol, validators: extra.validators };
  }
  return undefined;
}

function extraDataOf(protocol: BftProtocol, { extraData }: BlockHeader): BftExtraData | undefined {
  try {
    return decodeExtraData(protocol, extraData);
  } catch (error) {
    if (error instanceof SealbookError) return undefined;
    throw error;
  }
}

/** The consensus protocol of a chain; `none` for blocks without commit seals. */
export type ConsensusProtocol = "ibft2" | "qbft" | "none";
