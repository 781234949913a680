import { hexlify } from "ethers";
import * as z from "zod";
import { type AddressState, type Rpc, toQuantity } from "../rpc/rpc.ts";
import type { FeeQuote, FeeSource } from "../transactions/fees.ts";
import { type Address, CONTRACT_NAMES, type ContractName } from "../transaction.ts";
import { HashedHeader } from "../evidence/block-header.ts";
import { quorumOf } from "../evidence/consensus-seals.ts";
import { SealbookError } from "../../errors.ts";
import { type Enode, fetchPeers, type PeerIdentity } from "../consensus/peers.ts";
import { fetchValidators } from "../consensus/validators.ts";
import { fetchBlock, type ValidatorNames } from "./node-block.ts";
import { BigQuantity, fetchHead, fetchQuantity, query } from "../rpc/query.ts";

/** The state of the chain's node and network. */
export interface NodeReport {
  readonly client: string;
  readonly chainId: number;
  readonly blockNumber: number;
  /** Block time, Unix seconds. */
  readonly blockTime: number;
  readonly syncing: boolean;
  readonly peers: number;
  /** Whether it is a node without a network that makes blocks for transactions only, and no transaction waits. */
  readonly idle: boolean;
  readonly consensus: {
    readonly protocol: string;
    /** Names or addresses. */
    readonly validators: readonly string[];
    /** Number of validators that must agree on a block. */
    readonly quorum: number;
    /** Proposer of the newest block: a name or an address. */
    readonly proposer: string;
  };
  /** The node's peers compared with the list of the network's nodes; by names, addresses or hosts. */
  readonly network: {
    readonly listed: number | undefined;
    readonly missing: readonly string[];
    readonly unlisted: readonly string[];
  };
  /** The node addresses, when there are several. */
  readonly addresses: readonly AddressState[];
  readonly relayer: Address;
  /** The contracts that the relayer may not write to. */
  readonly lacksRoleOf: readonly ContractName[];
  /** Balance of the relayer's key, in wei. */
  readonly balance: bigint;
  /** The fee of that key's next transaction. */
  readonly fee: FeeQuote;
}

/** Fetches the report; throws `chain_unavailable` when the node does not respond. */
export type NodeInspector = () => Promise<NodeReport>;

/** `false`, or the progress. */
const Syncing = z.union([z.boolean(), z.looseObject({})]);

interface NodeInspectorDeps {
  readonly rpc: Pick<Rpc, "call" | "chainId" | "addresses">;
  /** The account with the reported balance. */
  readonly relayer: Address;
  readonly fees: Pick<FeeSource, "quote">;
  /** Fetches the contracts that an account may write to. */
  readonly rolesOf: (relayer: Address) => Promise<readonly ContractName[]>;
  readonly names: ValidatorNames;
  /** The nodes of the network, when a list is configured. */
  readonly nodes: readonly Enode[] | undefined;
}

/** Reports the state of a node and its network. */
export function nodeInspector(deps: NodeInspectorDeps): NodeInspector {
  const { rpc, relayer, fees, rolesOf, names, nodes } = deps;
  const nameOf = (address: Address): string => names.get(address.toLowerCase()) ?? address;
  const peerName = ({ address, endpoint }: PeerIdentity): string => names.get(address) ?? endpoint;
  return async () => {
    const [client, head, syncing, peers, balance, fee, roles] = await Promise.all([
      query(rpc, z.string(), "web3_clientVersion", []),
      fetchHead(rpc),
      query(rpc, Syncing, "eth_syncing", []),
      fetchPeers(rpc, nodes),
      query(rpc, BigQuantity, "eth_getBalance", [relayer, "latest"]),
      fees.quote(),
      rolesOf(relayer),
    ]);
    const header = await fetchBlock(rpc, head, HashedHeader);
    if (header === undefined)
      throw new SealbookError("chain_unavailable", "the node does not have its own newest block");
    const { protocol, validators } = await fetchValidators(rpc, header);
    return {
      client,
      chainId: rpc.chainId,
      blockNumber: Number(header.number),
      blockTime: Number(header.timestamp),
      syncing: syncing !== false,
      peers: peers.count,
      idle: protocol === "none" && peers.count === 0 && (await isIdle(rpc, head)),
      consensus: {
        protocol,
        validators: validators.map(nameOf),
        quorum: quorumOf(validators.length),
        proposer: nameOf(hexlify(header.miner)),
      },
      network: { listed: peers.listed, missing: peers.missing.map(peerName), unlisted: peers.unlisted.map(peerName) },
      addresses: rpc.addresses?.() ?? [],
      relayer,
      lacksRoleOf: CONTRACT_NAMES.filter((name) => !roles.includes(name)),
      balance,
      fee,
    };
  };
}

/** Number of blocks that show whether a node also makes empty ones. */
const RECENT_BLOCKS = 4;

/** Returns whether no transaction waits and none of the newest blocks is empty; the first block always is. */
async function isIdle(rpc: Pick<Rpc, "call">, head: number): Promise<boolean> {
  const count = (block: string): Promise<number> => fetchQuantity(rpc, "eth_getBlockTransactionCountByNumber", [block]);
  const recent = Array.from({ length: Math.min(RECENT_BLOCKS, head) }, (_, n) => toQuantity(head - n));
  try {
    const [waiting, ...counts] = await Promise.all([count("pending"), ...recent.map(count)]);
    return waiting === 0 && !counts.includes(0);
  } catch {
    // A node without these queries counts as one of a network.
    return false;
  }
}
