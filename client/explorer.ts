import {
  decodeCall,
  exploreActivity,
  exploreAddress,
  exploreAnchor,
  exploreAnchors,
  exploreBlock,
  exploreBlocks,
  exploreChain,
  exploreTransaction,
  exploreTransactions,
  searchChain,
} from "../server/explorer/api.ts";
import type {
  AddressActivity,
  AnchorList,
  BlockList,
  DecodedCallData,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  SearchResult,
  TransactionList,
} from "../server/explorer/responses.ts";
import type { Route } from "../server/http/route.ts";
import { ClientError } from "./errors.ts";
import { Http, type HttpOptions, parseResult, type ResultSchema } from "./http.ts";
import { toClientError } from "./problem.ts";
import { requestOf, type RouteInput } from "./route-request.ts";

/** The page of a list. */
export interface ListOptions {
  readonly limit?: number | undefined;
  /** `next` of the previous page. */
  readonly cursor?: string | undefined;
}

/**
 * The explorer API: public data of the chain. A missing object is `undefined`.
 * @throws ClientError `chain_unavailable` while the chain is not available; `malformed` for an invalid hash or address
 */
export class ExplorerClient {
  readonly #http: Http;

  constructor(url: string, options: HttpOptions = {}) {
    this.#http = new Http(url, options);
  }

  chain(): Promise<ExploredChain> {
    return this.#call(exploreChain);
  }

  /** Newest first. */
  blocks(page: ListOptions = {}): Promise<BlockList> {
    return this.#call(exploreBlocks, { query: page });
  }

  block(id: number | string, page: ListOptions = {}): Promise<ExploredBlock | undefined> {
    return ifFound(this.#call(exploreBlock, { params: { id }, query: page }));
  }

  /** Newest first. Any page can have fewer entries than `limit`. */
  transactions(page: ListOptions & { readonly without?: "sessions" | undefined } = {}): Promise<TransactionList> {
    return this.#call(exploreTransactions, { query: page });
  }

  transaction(hash: string): Promise<ExploredTransaction | undefined> {
    return ifFound(this.#call(exploreTransaction, { params: { hash } }));
  }

  /** Decodes call data, and compares them with the chain. */
  decode(input: string): Promise<DecodedCallData> {
    return this.#call(decodeCall, { body: { input } });
  }

  /** Newest first. Any page can have fewer entries than `limit`. */
  anchors(page: ListOptions = {}): Promise<AnchorList> {
    return this.#call(exploreAnchors, { query: page });
  }

  /** @param hash A hash that was anchored alone, or the root of a batch */
  anchor(hash: string): Promise<ExploredAnchor | undefined> {
    return ifFound(this.#call(exploreAnchor, { params: { hash } }));
  }

  address(address: string): Promise<ExploredAddress> {
    return this.#call(exploreAddress, { params: { address } });
  }

  /** Events of the contracts that concern an address; paged as {@link anchors}. */
  activity(address: string, page: ListOptions = {}): Promise<AddressActivity> {
    return this.#call(exploreActivity, { params: { address }, query: page });
  }

  /** Everything on the chain with this block number, hash or address. */
  async search(text: string): Promise<readonly SearchResult[]> {
    return (await this.#call(searchChain, { query: { q: text } })).results;
  }

  async #call<T, R extends Route>(route: R & ResultSchema<T>, input: RouteInput<R> = {}): Promise<T> {
    const response = await this.#http.send(requestOf(route, input));
    if (response.status >= 300) throw toClientError(response);
    return parseResult(route, response);
  }
}

async function ifFound<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return undefined;
    throw error;
  }
}
