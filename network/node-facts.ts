import { hexlify } from "ethers";
import * as z from "zod";
import { parseEnode } from "../server/chain/consensus/peers.ts";
import { type BftProtocol, decodeExtraData } from "../server/chain/evidence/consensus-seals.ts";
import { NodeBlock } from "../server/chain/node/node-block.ts";
import { ifNodeError, type Rpc, toQuantity } from "../server/chain/rpc/rpc.ts";
import { Data, Quantity, query } from "../server/chain/rpc/query.ts";
import { consensusApi } from "./besu-config.ts";

const Text = z.string();
const Block = NodeBlock.pick({ hash: true, number: true, timestamp: true }).extend({ extraData: Data });
const Peers = z
  .array(z.object({ enode: Text }))
  .transform((peers) => peers.flatMap(({ enode }) => parseEnode(enode)?.id ?? []).map((id) => `0x${id}`));
const Addresses = z.array(Text.regex(/^0x[0-9a-f]{40}$/i).transform((text) => text.toLowerCase()));
const PublicKeys = z
  .array(Text)
  .transform((urls) => urls.flatMap((url) => parseEnode(url)?.id ?? []).map((id) => `0x${id}`));

/** Number of blocks for the mean block period. */
const BLOCKS = 20;

/** Facts about a node and its network. */
export interface NodeFacts {
  readonly chainId: number;
  readonly genesisHash: string;
  readonly height: number;
  /** When the node returned its height, Unix milliseconds. */
  readonly heightAt: number;
  /** Age of its newest block then, by the clock of this machine. */
  readonly newestAgeSeconds: number;
  /** Lower-case, in the order of the node's response. */
  readonly validators: readonly string[];
  /** Public keys of connected peers; `undefined` when the node does not return them. */
  readonly peers: readonly string[] | undefined;
  readonly peerCount: number;
  /** Public keys of permitted peers; `undefined` when the node does not return them. */
  readonly allowed: readonly string[] | undefined;
  readonly clientVersion: string;
  /** Mean of the last blocks; `undefined` while there are too few. */
  readonly blockPeriodSeconds: number | undefined;
}

/**
 * Queries a node.
 * @throws SealbookError `chain_unavailable` without a readable response, or if the node rejects a request
 */
export async function fetchNodeFacts(rpc: Rpc, consensus: BftProtocol): Promise<NodeFacts> {
  const queryNode = async <T>(schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> => {
    return query(rpc, schema, method, params);
  };
  const latest = await queryNode(Block, "eth_getBlockByNumber", "latest", false);
  const heightAt = Date.now();
  // The genesis block's timestamp comes from the files.
  const first = Math.max(1, latest.number - BLOCKS);
  const earlier =
    latest.number > first ? await queryNode(Block, "eth_getBlockByNumber", toQuantity(first), false) : undefined;
  return {
    chainId: await queryNode(Quantity, "eth_chainId"),
    genesisHash: (await queryNode(Block, "eth_getBlockByNumber", "0x0", false)).hash,
    height: latest.number,
    heightAt,
    newestAgeSeconds: heightAt / 1_000 - latest.timestamp,
    validators: await validatorsOf(queryNode, consensus, latest.extraData),
    peers: await queryNode(Peers, "admin_peers").catch(ifNodeError(undefined)),
    peerCount: await queryNode(Quantity, "net_peerCount"),
    allowed: await queryNode(PublicKeys, "perm_getNodesAllowlist").catch(ifNodeError(undefined)),
    clientVersion: await queryNode(Text, "web3_clientVersion"),
    blockPeriodSeconds:
      earlier === undefined ? undefined : (latest.timestamp - earlier.timestamp) / (latest.number - earlier.number),
  };
}

type QueryNode = <T>(schema: z.ZodType<T>, method: string, ...params: unknown[]) => Promise<T>;

async function validatorsOf(queryNode: QueryNode, consensus: BftProtocol, extraData: Uint8Array): Promise<string[]> {
  const validators = await queryNode(
    Addresses,
    `${consensusApi(consensus).toLowerCase()}_getValidatorsByBlockNumber`,
    "latest",
  ).catch(ifNodeError(undefined));
  return validators ?? decodeExtraData(consensus, extraData).validators.map((bytes) => hexlify(bytes));
}
