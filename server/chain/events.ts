import type { NetworkFault } from "./consensus/network-faults.ts";

/** Events of the chain, its node and its network, for logs, metrics and alerts. None of them ever throws. */
export interface ChainEvents {
  /** The chain was rolled back; the lost transactions are sent again. */
  chainRolledBack(transactions: number): void;
  /** The chain has all lost transactions again. */
  chainRecovered(): void;
  /** The chain's node is unavailable; called at every check, reported once. */
  nodeDown(reason: string): void;
  nodeUp(): void;
  /** The node's responses contradict each other. */
  nodeContradicted(reason: string): void;
  /** Called at every check: ends what {@link nodeContradicted} reported when it was long ago. */
  nodeConsistent(): void;
  /** The clock of this machine and the times of the blocks differ; called at every check, reported once. */
  clockSkewed(reason: string): void;
  clockRight(): void;
  /** The chain's node serves another chain than the journal's; called at every check, reported once. */
  wrongChain(reason: string): void;
  rightChain(): void;
  /** The node lags behind its network, or the network makes no blocks. */
  syncLost(reason: string): void;
  syncRegained(): void;
  /** All current faults of the network; called at every check, each fault is reported once. */
  networkFaults(faults: readonly NetworkFault[]): void;
}
