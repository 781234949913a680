import type { Wallet } from "ethers";
import type { ChainGuard } from "../chain/identity.ts";
import { type SessionAdministration, SessionRegistryClient } from "../chain/contracts/session-registry-client.ts";
import type { Deployment } from "../chain/contracts/deployment.ts";
import type { EmbeddedChain, EmbeddedChainEvent } from "../chain/embedded/embedded-chain.ts";
import { ownKey, type RelayerKey } from "../chain/keys/relayer-key.ts";
import type { Clock } from "../kit/time.ts";
import type { FailOver } from "../chain/rpc/failover.ts";
import type { Rpc } from "../chain/rpc/rpc.ts";
import { openKeystore } from "../chain/keys/keystore.ts";
import { peerTlsOptions, SIGNER } from "../chain/rpc/peer-tls.ts";
import { web3SignerKey } from "../chain/keys/web3-signer.ts";
import type { ChainConfig, RelayerSource } from "../config/config.ts";
import { SealbookError } from "../errors.ts";

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
  readonly onEvent: (event: ChainLinkEvent) => void;
}

/** A relayer's key that signs until it is closed. */
export type OpenedKey = RelayerKey & { close?(): void };

/**
 * Opens a relayer's key.
 * @throws SealbookError when it does not exist or cannot be used
 */
export async function openRelayerKey(source: RelayerSource): Promise<OpenedKey> {
  switch (source.kind) {
    case "environment":
      return ownKey(source.key);
    case "keystore":
      return openKeystore(source);
    case "signer":
      return web3SignerKey(source.url, source.address, peerTlsOptions(source.tls, SIGNER));
  }
}

/**
 * Writes the configured session rules into the contract, unless it has them already.
 * @throws SealbookError `config_invalid` when that needs the administrator's key
 */
export async function applySessionRules(
  configured: ChainConfig["sessionRules"],
  { rpc, deployment, administration }: ChainLink,
): Promise<void> {
  if (configured === undefined) return;
  const rules = await new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry).rules();
  const { lifetime, minimumToExtend: minimum } = configured;
  if (lifetime === rules.lifetime && minimum === rules.minimumToExtend) return;
  if (administration === undefined) {
    throw new SealbookError(
      "config_invalid",
      `the contract's sessions live ${rules.lifetime} s and need more than ${rules.minimumToExtend} s to be ` +
        `extended; changing that to ${lifetime} s and ${minimum} s needs ADMIN_KEY`,
    );
  }
  await administration.setRules(configured);
}
