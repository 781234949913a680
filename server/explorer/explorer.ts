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

/** The requested page of a list. */
export interface PageRequest<Cursor = number> {
  readonly limit: number;
  /** `next` of the previous page. Default: the first page. */
  readonly cursor?: Cursor | undefined;
}

/** The position of a log on the chain: a block, and the log's index in it. */
export interface LogPosition {
  readonly block: number;
  readonly index: number;
}

/**
 * The public data of the chain, decoded with the ABIs of its contracts. Does not query the journal. Hashes are `0x` and
 * 64 lower-case digits. All methods throw SealbookError `chain_unavailable` while the chain is unavailable; data that
 * is not on the chain is `undefined`.
 */
export interface ChainExplorer {
  chain(): Promise<ExploredChain>;
  /** Newest first. */
  blocks(page: PageRequest): Promise<Page<BlockSummary>>;
  block(id: number | string, page: PageRequest): Promise<ExploredBlock | undefined>;
  /** @param source The caller, whose queries wait for one another */
  transaction(hash: string, source: string): Promise<ExploredTransaction | undefined>;
  hasTransaction(hash: string): Promise<boolean>;
  /** Newest first. A page can have fewer entries than requested, or none, without being the last one. */
  anchors(page: PageRequest<LogPosition>): Promise<Page<ExploredAnchor>>;
  anchor(hash: string): Promise<ExploredAnchor | undefined>;
  address(address: Address): Promise<ExploredAddress>;
  /** Events of the contracts that concern an address, newest first; paged as {@link anchors}. */
  activity(address: Address, page: PageRequest<LogPosition>, source: string): Promise<Page<Activity>>;
  /** Whether the registry contains the hash of a session's token. */
  knowsSession(tokenHash: string): Promise<boolean>;
}
