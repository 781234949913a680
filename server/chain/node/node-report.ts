import type { BftReport } from "../consensus/bft-report.ts";
import type { AddressState } from "../rpc/rpc.ts";
import type { FeeQuote } from "../transactions/gas-fee.ts";
import type { Address } from "../transaction.ts";

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
    /**
     * With names or addresses of validators, and the round changes since the start; `undefined` on a chain without
     * commit seals.
     */
    readonly bft: (BftReport & { readonly roundChanges: number }) | undefined;
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
  /** Balance of the relayer's key, in wei. */
  readonly balance: bigint;
  /** What that key pays for its next transaction. */
  readonly fee: FeeQuote;
}

/** Fetches the report; throws `chain_unavailable` when the node does not respond. */
export type NodeInspector = () => Promise<NodeReport>;
