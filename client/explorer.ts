import type { z } from "zod";
import { ClientError } from "./errors.ts";
import {
  AddressActivity,
  AnchorList,
  BlockList,
  ExploredAddress,
  ExploredAnchor,
  ExploredBlock,
  ExploredChain,
  ExploredTransaction,
  type Finding,
  Findings,
} from "./explorer-schemas.ts";
import { Http, type HttpOptions, parseAnswer } from "./http.ts";
import { problemIn } from "./problem.ts";

/** Which part of a list is asked for. */
export interface ListOptions {
  readonly limit?: number | undefined;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
}

/**
 * What anybody can see of the chain. What is not there is `undefined`.
 * @throws ClientError `chain_unavailable` while the server has no chain; `malformed` for what is no hash or address
 */
export class ExplorerClient {
  readonly #http: Http;

  constructor(url: string, options: HttpOptions = {}) {
    this.#http = new Http(url, options);
  }

  chain(): Promise<ExploredChain> {
    return this.#get(ExploredChain, "chain");
  }

  /** The newest first. */
  blocks(page: ListOptions = {}): Promise<BlockList> {
    return this.#get(BlockList, "blocks", page);
  }

  block(id: number | string, page: ListOptions = {}): Promise<ExploredBlock | undefined> {
    return ifThere(this.#get(ExploredBlock, `blocks/${encodeURIComponent(id)}`, page));
  }

  transaction(hash: string): Promise<ExploredTransaction | undefined> {
    return ifThere(this.#get(ExploredTransaction, `transactions/${encodeURIComponent(hash)}`));
  }

  /** The newest first; a page that is not the last can have fewer than were asked for. */
  anchors(page: ListOptions = {}): Promise<AnchorList> {
    return this.#get(AnchorList, "anchors", page);
  }

  /** A hash that was anchored alone, or the root of a batch. */
  anchor(hash: string): Promise<ExploredAnchor | undefined> {
    return ifThere(this.#get(ExploredAnchor, `anchors/${encodeURIComponent(hash)}`));
  }

  address(address: string): Promise<ExploredAddress> {
    return this.#get(ExploredAddress, `addresses/${encodeURIComponent(address)}`);
  }

  /** Events of the contracts that concern an address; paged as {@link anchors}. */
  activity(address: string, page: ListOptions = {}): Promise<AddressActivity> {
    return this.#get(AddressActivity, `addresses/${encodeURIComponent(address)}/activity`, page);
  }

  /** Everything on the chain that goes by a block's number, a hash or an address. */
  async search(text: string): Promise<Finding[]> {
    return (await this.#get(Findings, "search", { q: text })).results;
  }

  async #get<Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    asked: ListOptions | { readonly q: string } = {},
  ): Promise<z.output<Schema>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, String(value));
    const answer = await this.#http.send({
      method: "GET",
      path: `explorer/api/${path}${query.size === 0 ? "" : `?${query}`}`,
    });
    if (answer.status >= 300) throw problemIn(answer);
    return parseAnswer(schema, answer);
  }
}

async function ifThere<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ClientError && error.code === "not_found") return undefined;
    throw error;
  }
}
