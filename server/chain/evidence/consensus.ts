import type { ConsensusProtocol } from "./anchor-evidence.ts";
import { SealbookError } from "../../errors.ts";
import { type BftExtraData, type BftProtocol, decodeExtraData, encodeForBlockHash } from "./bft-extra-data.ts";
import { type BlockHeader, hashHeader } from "./block-header.ts";

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
