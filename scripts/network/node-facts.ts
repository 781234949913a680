import { getAddress, hexlify } from "ethers";
import { z } from "zod";
import { type BftProtocol, decodeExtraData } from "../../server/chain/evidence/bft-extra-data.ts";
import { NodeError, type Rpc, toQuantity } from "../../server/chain/rpc/rpc.ts";
import { consensusApi } from "./besu-config.ts";

const Quantity = z.string().regex(/^0x[0-9a-fA-F]+$/).transform(Number);
const Text = z.string();
const Block = z.object({ hash: Text, number: Quantity, timestamp: Quantity, extraData: Text });
const Peers = z.array(z.object({ id: Text }));
const Addresses = z.array(Text);

/** How far back the period of blocks is looked at. */
const BLOCKS = 20;

/** What a node says of itself and the network. */
export interface NodeFacts {
  readonly chainId: number;
  readonly genesisHash: string;
  readonly height: number;
  /** Lower-case, in the order of the node. */
  readonly validators: readonly string[];
  /** Public keys of those who are connected; `undefined` when the node does not say. */
  readonly peers: readonly string[] | undefined;
  readonly peerCount: number;
  readonly clientVersion: string;
  /** Mean of the last blocks; `undefined` while there are too few. */
  readonly blockPeriodSeconds: number | undefined;
}

/** Asks a node. */
export async function askNode(rpc: Rpc, consensus: BftProtocol): Promise<NodeFacts> {
  const ask = async <T>(schema: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> => schema.parse(await rpc.call(method, params));
  const latest = await ask(Block, "eth_getBlockByNumber", "latest", false);
  // The first block's time is that of the files.
  const first = Math.max(1, latest.number - BLOCKS);
  const earlier = latest.number > first ? await ask(Block, "eth_getBlockByNumber", toQuantity(first), false) : undefined;
  return {
    chainId: await ask(Quantity, "eth_chainId"),
    genesisHash: (await ask(Block, "eth_getBlockByNumber", "0x0", false)).hash,
    height: latest.number,
    validators: await validatorsOf(rpc, consensus, latest.extraData),
    peers: await unlessUnknown(async () => (await ask(Peers, "admin_peers")).map(({ id }) => id.toLowerCase())),
    peerCount: await ask(Quantity, "net_peerCount"),
    clientVersion: await ask(Text, "web3_clientVersion"),
    blockPeriodSeconds: earlier === undefined ? undefined : (latest.timestamp - earlier.timestamp) / (latest.number - earlier.number),
  };
}

async function validatorsOf(rpc: Rpc, consensus: BftProtocol, extraData: string): Promise<string[]> {
  const method = `${consensusApi(consensus).toLowerCase()}_getValidatorsByBlockNumber`;
  const told = await unlessUnknown(async () => Addresses.parse(await rpc.call(method, ["latest"])));
  const validators = told ?? decodeExtraData(consensus, Buffer.from(extraData.slice(2), "hex")).validators.map((bytes) => hexlify(bytes));
  return validators.map((validator) => getAddress(validator).toLowerCase());
}

/** @returns `undefined` when the node does not have the method, or not for everybody */
async function unlessUnknown<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}
