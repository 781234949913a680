import type { Address } from "../chain/transaction.ts";
import type {
  Activity,
  BlockSummary,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  Page,
} from "./explored.ts";

/** Which part of a list is asked for. */
export interface PageRequest {
  readonly limit: number;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

/**
 * What anybody can read from the chain, put into the words of its contracts. The journal is not asked. Hashes are `0x`
 * and 64 lower-case digits. Everything throws SealbookError `chain_unavailable` while the chain is away; what is not on
 * the chain is `undefined`.
 */
export interface ChainExplorer {
  chain(): Promise<ExploredChain>;
  /** The newest first. */
  blocks(page: PageRequest): Promise<Page<BlockSummary>>;
  block(id: number | string, page: PageRequest): Promise<ExploredBlock | undefined>;
  transaction(hash: string): Promise<ExploredTransaction | undefined>;
  /** The newest first. A page can have fewer than were asked for, or none, and yet not be the last one. */
  anchors(page: PageRequest): Promise<Page<ExploredAnchor>>;
  anchor(hash: string): Promise<ExploredAnchor | undefined>;
  address(address: Address): Promise<ExploredAddress>;
  /** Events of the contracts that concern an address, the newest first; paged as {@link anchors}. */
  activity(address: Address, page: PageRequest): Promise<Page<Activity>>;
  /** Whether the registry has seen the hash of a session's token. */
  knowsSession(tokenHash: string): Promise<boolean>;
}
