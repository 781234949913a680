import type { Wallet } from "ethers";
import type { ChainGuard } from "../chain/identity.ts";
import type { SessionAdministration } from "../chain/contracts/session-registry-client.ts";
import type { Deployment } from "../chain/contracts/deployment.ts";
import type { EmbeddedChain, EmbeddedChainEvent } from "../chain/embedded/embedded-chain.ts";
import type { RelayerKey } from "../chain/keys/relayer-key.ts";
import type { Clock } from "../kit/time.ts";
import type { FailOver } from "../chain/rpc/failover.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";

/** The chain with the contracts on it. */
export interface ContractsLink {
  readonly rpc: Rpc;
  readonly deployment: Deployment;
  /** The administrator's key, when it is configured. */
  readonly administrator: Wallet | undefined;
  /** The embedded chain, when this process runs it. */
  readonly embedded: EmbeddedChain | undefined;
  close(): Promise<void>;
}

/** The chain with the contracts on it, and the keys to use them as a relayer. */
export interface ChainLink extends ContractsLink {
  readonly relayer: RelayerKey;
  /** With the administrator's key only. */
  readonly administration: SessionAdministration | undefined;
}

/** Events while the chain is opened and used. */
export type ChainLinkEvent =
  | { readonly kind: "embedded"; readonly event: EmbeddedChainEvent }
  | { readonly kind: "deployed"; readonly contract: string; readonly address: string }
  | { readonly kind: "failed_over"; readonly event: FailOver }
  | { readonly kind: "unreachable"; readonly error: unknown };

export interface ChainLinkOptions {
  /** Whether to use the embedded chain of another process; otherwise that is an error. */
  readonly share: boolean;
  /** The clock of the embedded chain's blocks; the machine's when unset. */
  readonly clock?: Clock;
  /** Keeps the server on its journal's chain; unset for a command, which has no journal or checks it itself. */
  readonly guard?: ChainGuard;
  /** Whether the journal may continue with other contracts than before. */
  readonly mayReplaceContracts?: boolean;
  readonly onEvent: (event: ChainLinkEvent) => void;
}
