import { getBytes, hexlify } from "ethers";
import { type BftExtraData, type BftProtocol, encodeExtraData } from "../server/chain/evidence/consensus-seals.ts";
import { BlockHeader, hashHeader } from "../server/chain/evidence/block-header.ts";
import { toQuantity } from "../server/chain/rpc/rpc.ts";
import type { Network } from "./network-file.ts";

const ZERO_HASH = `0x${"00".repeat(32)}`;
const ZERO_ADDRESS = `0x${"00".repeat(20)}`;
const NO_BLOOM = `0x${"00".repeat(256)}`;
/** Hashes of an empty trie and an empty list. */
const EMPTY_TRIE = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";
const NO_UNCLES = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347";
/** Mix hash that marks a BFT chain. */
const BFT_MIX_HASH = "0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365";
/** Blocks after which votes without a majority are discarded. */
const EPOCH_LENGTH = 30_000;
/** No limit besides gas: the maximum that Besu accepts. */
const CONTRACT_SIZE_LIMIT = 2_147_483_647;

/** Without this field the genesis block has the base fee of a network with fees. */
const FIRST_BASE_FEE = "0x0";

/** The input of the genesis block. */
export type GenesisFacts = Pick<Network, "plan"> & { readonly genesis: Omit<Network["genesis"], "hash"> };

/**
 * Encodes the validators of the genesis block: all of them in ascending order, no vote, round 0 and no commit seals.
 */
function firstExtraData(consensus: BftProtocol, validators: readonly string[]): BftExtraData {
  return {
    vanity: new Uint8Array(32),
    validators: validators
      .map((validator) => validator.toLowerCase())
      .sort()
      .map((validator) => getBytes(validator)),
    vote: consensus === "qbft" ? [] : new Uint8Array(),
    round: 0,
    seals: [],
  };
}

/** Encodes the extra data of the genesis file. */
export function genesisExtraData(consensus: BftProtocol, validators: readonly string[]): string {
  return hexlify(encodeExtraData(consensus, firstExtraData(consensus, validators)));
}

/** Formats `genesis.json`: the chain configuration, which is the same for all nodes, and the genesis block. */
export function genesisText({ plan, genesis }: GenesisFacts): string {
  const { chainId, consensus, blockPeriodSeconds, emptyBlockPeriodSeconds, requestTimeoutSeconds, gasLimit } = plan;
  const rules = {
    blockperiodseconds: blockPeriodSeconds,
    ...(emptyBlockPeriodSeconds === undefined ? {} : { emptyblockperiodseconds: emptyBlockPeriodSeconds }),
    epochlength: EPOCH_LENGTH,
    requesttimeoutseconds: requestTimeoutSeconds,
  };
  const content = {
    config: {
      chainId,
      // The last fork before blocks have fields of the beacon chain; the contracts' code needs no later one.
      londonBlock: 0,
      zeroBaseFee: true,
      contractSizeLimit: CONTRACT_SIZE_LIMIT,
      [consensus]: rules,
    },
    nonce: "0x0",
    timestamp: toQuantity(genesis.timestamp),
    extraData: genesisExtraData(consensus, genesis.validators),
    gasLimit: toQuantity(gasLimit),
    baseFeePerGas: FIRST_BASE_FEE,
    difficulty: "0x1",
    mixHash: BFT_MIX_HASH,
    coinbase: ZERO_ADDRESS,
    alloc: {},
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Computes the genesis block's hash, by which data centres compare their genesis files. */
export function genesisHash({ plan, genesis }: GenesisFacts): string {
  const header = BlockHeader.parse({
    parentHash: ZERO_HASH,
    sha3Uncles: NO_UNCLES,
    miner: ZERO_ADDRESS,
    stateRoot: EMPTY_TRIE,
    transactionsRoot: EMPTY_TRIE,
    receiptsRoot: EMPTY_TRIE,
    logsBloom: NO_BLOOM,
    difficulty: "0x1",
    number: "0x0",
    gasLimit: toQuantity(plan.gasLimit),
    gasUsed: "0x0",
    timestamp: toQuantity(genesis.timestamp),
    extraData: genesisExtraData(plan.consensus, genesis.validators),
    mixHash: BFT_MIX_HASH,
    nonce: "0x0000000000000000",
    baseFeePerGas: FIRST_BASE_FEE,
  });
  // Only later blocks are hashed without round and seals.
  return hexlify(hashHeader(header));
}
