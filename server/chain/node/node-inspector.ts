import type { BftBlock } from "../consensus/bft-block.ts";
import { bftReport } from "../consensus/bft-report.ts";
import { quorumOf } from "../consensus/quorum.ts";
import type { NodeInspector } from "./node-report.ts";
import type { Address } from "../transaction.ts";
import { SealbookError } from "../../errors.ts";
import { type BftBlocks, BftHistory } from "../consensus/bft-history.ts";
import type { Enode } from "../consensus/enode.ts";
import { fetchPeers, type PeerIdentity } from "../consensus/peer-comparison.ts";
import { fetchValidators, lastProposals } from "../consensus/validators.ts";
import { readBlock, type ValidatorNames } from "./node-block.ts";
import { fetchQuantity } from "../rpc/query.ts";
import type { FeeSource } from "../transactions/fee-source.ts";
import { type Rpc, toQuantity } from "../rpc/rpc.ts";

export interface NodeInspectorDeps {
  readonly rpc: Pick<Rpc, "call" | "chainId" | "addresses">;
  /** The account with the reported balance. */
  readonly relayer: () => Address;
  readonly fees: Pick<FeeSource, "quote">;
  readonly names: ValidatorNames;
  /** The nodes of the network, when a list is configured. */
  readonly nodes: readonly Enode[] | undefined;
  /** The request timeout of a BFT network in seconds, when it is configured. */
  readonly requestTimeout: number | undefined;
}

/** Reports the state of a node and its network. */
export function nodeInspector({ rpc, relayer, fees, names, nodes, requestTimeout }: NodeInspectorDeps): NodeInspector {
  const history = new BftHistory(rpc);
  const nameOf = (address: Address): string => names.get(address.toLowerCase()) ?? address;
  const peerName = ({ address, endpoint }: PeerIdentity): string => names.get(address) ?? endpoint;
  return async () => {
    const address = relayer();
    const [client, head, syncing, peers, balance, fee] = await Promise.all([
      rpc.call("web3_clientVersion", []),
      fetchQuantity(rpc, "eth_blockNumber", []),
      rpc.call("eth_syncing", []),
      fetchPeers(rpc, nodes),
      rpc.call("eth_getBalance", [address, "latest"]),
      fees.quote(),
    ]);
    const [block, bft] = await Promise.all([readBlock(rpc, head, names), history.upTo(head)]);
    if (block === undefined)
      throw new SealbookError("chain_unavailable", "the node does not have its own newest block");
    const { protocol, validators } = await fetchValidators(rpc, bft);
    const report =
      bft && bftReport(withValidators(bft.blocks, validators), peers, ageOf(bft, Date.now()), requestTimeout);
    const proposals = bft && report && (await lastProposals(rpc, bft.protocol, report.participation));
    return {
      client: String(client),
      chainId: rpc.chainId,
      blockNumber: block.number,
      blockTime: block.time,
      syncing: syncing !== false,
      peers: peers.count,
      idle: bft === undefined && peers.count === 0 && (await isIdle(rpc, head)),
      consensus: {
        protocol,
        validators: validators.map(nameOf),
        quorum: quorumOf(validators.length),
        proposer: block.validator,
        bft: report && {
          ...report,
          roundChanges: bft?.roundChanges ?? 0,
          missing: report.missing.map(nameOf),
          participation: (proposals ?? report.participation).map((each) => ({
            ...each,
            validator: nameOf(each.validator),
          })),
        },
      },
      network: { listed: peers.listed, missing: peers.missing.map(peerName), unlisted: peers.unlisted.map(peerName) },
      addresses: rpc.addresses?.() ?? [],
      relayer: address,
      balance: BigInt(String(balance)),
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

/**
 * Returns the age of the newest block in seconds. A block whose arrival was observed is no older than its arrival,
 * whatever the clocks of this machine and of the validators show.
 */
function ageOf({ blocks, seenAt }: BftBlocks, now: number): number {
  const byClocks = now / 1000 - (blocks.at(-1)?.time ?? 0);
  return Math.max(0, seenAt === undefined ? byClocks : Math.min(byClocks, (now - seenAt) / 1000));
}

/** Adds the validators to headers that lack them, because a contract holds them. */
function withValidators(blocks: readonly BftBlock[], known: readonly Address[]): readonly BftBlock[] {
  const validators = known.map((address) => address.toLowerCase()).sort();
  return blocks.map((block) => (block.validators.length > 0 ? block : { ...block, validators }));
}
