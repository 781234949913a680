import { getAddress, hexlify, recoverAddress, Signature } from "ethers";
import { quorumOf } from "../consensus/quorum.ts";
import type { Address } from "../transaction.ts";
import { malformed } from "../../errors.ts";
import { type BftProtocol, decodeExtraData, encodeForSeals } from "./bft-extra-data.ts";
import { type BlockHeader, hashHeader } from "./block-header.ts";

const SEAL_LENGTH = 65;

/** Returns the digest that the commit seals of a block sign. */
export function sealDigest(protocol: BftProtocol, header: BlockHeader): Uint8Array {
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
