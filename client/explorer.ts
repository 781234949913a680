import type { z } from "zod";
import {
  AddressActivity,
  AnchorList,
  BlockList,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  type SearchResult,
  SearchResults,
} from "../server/explorer/responses.ts";
import { ClientError } from "./errors.ts";
import { Http, type HttpOptions, parseResponse } from "./http.ts";
import { toClientError } from "./problem.ts";

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
    return this.#get(ExploredChain, "chain");
  }

  /** Newest first. */
  blocks(page: ListOptions = {}): Promise<BlockList> {
    return this.#get(BlockList, "blocks", page);
  }

  block(id: number | string, page: ListOptions = {}): Promise<ExploredBlock | undefined> {
    return ifFound(this.#get(ExploredBlock, `blocks/${encodeURIComponent(id)}`, page));
  }

  transaction(hash: string): Promise<ExploredTransaction | undefined> {
    return ifFound(this.#get(ExploredTransaction, `transactions/${encodeURIComponent(hash)}`));
  }

  /** Newest first. Any page can have fewer entries than `limit`. */
  anchors(page: ListOptions = {}): Promise<AnchorList> {
    return this.#get(AnchorList, "anchors", page);
  }

  /** @param hash A hash that was anchored alone, or the root of a batch */
  anchor(hash: string): Promise<ExploredAnchor | undefined> {
    return ifFound(this.#get(ExploredAnchor, `anchors/${encodeURIComponent(hash)}`));
  }

  address(address: string): Promise<ExploredAddress> {
    return this.#get(ExploredAddress, `addresses/${encodeURIComponent(address)}`);
  }

  /** Events of the contracts that concern an address; paged as {@link anchors}. */
  activity(address: string, page: ListOptions = {}): Promise<AddressActivity> {
    return this.#get(AddressActivity, `addresses/${encodeURIComponent(address)}/activity`, page);
  }

  /** Everything on the chain with this block number, hash or address. */
  async search(text: string): Promise<readonly SearchResult[]> {
    return (await this.#get(SearchResults, "search", { q: text })).results;
  }

  async #get<T>(
    schema: z.ZodType<T, T>,
    path: string,
    parameters: ListOptions | { readonly q: string } = {},
  ): Promise<T> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
    const response = await this.#http.send({
      method: "GET",
      path: `explorer/api/${path}${query.size === 0 ? "" : `?${query}`}`,
    });
    if (response.status >= 300) throw toClientError(response);
    return parseResponse(schema, response);
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
