import type { BftReport } from "../consensus/bft-report.ts";
import type { AddressState } from "../rpc/address-state.ts";

/** The chain's node and network, as an operator wants to see them. */
export interface NodeReport {
  readonly client: string;
  readonly chainId: number;
  readonly blockNumber: number;
  /** Block time, Unix seconds. */
  readonly blockTime: number;
  readonly syncing: boolean;
  readonly peers: number;
  readonly consensus: {
    readonly protocol: string;
    /** Names or addresses. */
    readonly validators: readonly string[];
    /** Validators that have to agree on a block. */
    readonly quorum: number;
    /** Who proposed the newest block: a name or an address. */
    readonly proposer: string;
    /**
     * With names or addresses of validators, and how many rounds were lost since the start; `undefined` on a chain
     * whose blocks no validators seal.
     */
    readonly bft: (BftReport & { readonly roundChanges: number }) | undefined;
  };
  /** Its peers against the list of those that the network has; by names, addresses or hosts. */
  readonly network: {
    readonly listed: number | undefined;
    readonly missing: readonly string[];
    readonly unlisted: readonly string[];
  };
  /** Where the node can be asked, when there are several addresses. */
  readonly addresses: readonly AddressState[];
  /** Balance of the relayer's key, in wei. */
  readonly balance: bigint;
}

/** Asks the node how it is; throws `chain_unavailable` when it does not answer. */
export type NodeInspector = () => Promise<NodeReport>;
