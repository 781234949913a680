import type { NetworkFault } from "./consensus/network-faults.ts";

/** Events of the chain, its node and its network, for logs, metrics and alerts. None of them ever throws. */
export interface ChainEvents {
  /** The chain has come back older than it was; what it lost is sent again. */
  chainRolledBack(transactions: number): void;
  /** It has again all that it had lost. */
  chainRecovered(): void;
  /** The chain's node does not answer; told at every look, reported once. */
  nodeDown(reason: string): void;
  nodeUp(): void;
  /** The node is not where its network is, or the network makes no blocks. */
  syncLost(reason: string): void;
  syncRegained(): void;
  /** What is wrong with the network, all of it, and nothing else any more; told at every look, each reported once. */
  networkFaults(faults: readonly NetworkFault[]): void;
}
