import { getAddress } from "ethers";
import { SealbookError } from "../errors.ts";
import { sourceOf } from "../http/access/source.ts";
import type { RateLimit } from "../http/limits.ts";
import type { InputOf, ResultOf, Route } from "../http/route.ts";
import { type ServedRoute, serve } from "../http/serve.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import {
  exploreActivity,
  exploreAddress,
  exploreAnchor,
  exploreAnchors,
  exploreBlock,
  exploreBlocks,
  exploreChain,
  exploreTransaction,
  searchChain,
} from "./api.ts";
import type { ChainExplorer } from "./explorer.ts";
import {
  toActivityResponse,
  toAddressResponse,
  toAnchorList,
  toAnchorResponse,
  toBlockList,
  toBlockResponse,
  toChainResponse,
  toTransactionResponse,
} from "./response-mapping.ts";
import { search } from "./search.ts";

/** Requests that are made at a time: the chain's node serves the relayer as well. */
const AT_ONCE = 2;
/** Requests that run or wait. */
const UNFINISHED = { jobs: "requests of the explorer", perKey: 64, all: 512 };

/** Dependencies of the explorer, which reads the chain, never the journal. */
export interface ExplorerDeps {
  readonly explorer: ChainExplorer;
  /** By network address: every request causes calls to the chain's node. */
  readonly requestsPerSource: RateLimit;
}

/** Public data of the chain. */
export function explorerRoutes({ explorer, requestsPerSource }: ExplorerDeps): ServedRoute[] {
  const queue = new KeyedQueue<string>(AT_ONCE, AT_ONCE, UNFINISHED);
  const explore =
    <R extends Route>(route: R) =>
    (handle: (input: InputOf<R>, source: string) => Promise<ResultOf<R>>): ServedRoute =>
      serve(route)(async (input, request) => {
        const { key } = sourceOf(request);
        await requestsPerSource(key);
        return queue.run(key, () => handle(input, key));
      });

  return [
    explore(exploreChain)(async () => toChainResponse(await explorer.chain())),
    explore(exploreBlocks)(async ({ query }) => toBlockList(await explorer.blocks(query))),
    explore(exploreBlock)(async ({ params: { id }, query }) =>
      toBlockResponse(existing(await explorer.block(id, query), `the chain has no block ${id}`)),
    ),
    explore(exploreTransaction)(async ({ params: { hash } }, source) =>
      toTransactionResponse(existing(await explorer.transaction(hash, source), `the chain has no transaction ${hash}`)),
    ),
    explore(exploreAnchors)(async ({ query }) => toAnchorList(await explorer.anchors(query))),
    explore(exploreAnchor)(async ({ params: { hash } }) =>
      toAnchorResponse(existing(await explorer.anchor(hash), `${hash} was not anchored`)),
    ),
    explore(exploreAddress)(async ({ params }) =>
      toAddressResponse(await explorer.address(getAddress(params.address))),
    ),
    explore(exploreActivity)(async ({ params, query }, source) =>
      toActivityResponse(await explorer.activity(getAddress(params.address), query, source)),
    ),
    explore(searchChain)(async ({ query: { q } }) => ({ results: await search(explorer, q) })),
  ];
}

function existing<T>(found: T | undefined, otherwise: string): T {
  if (found === undefined) throw new SealbookError("not_found", otherwise);
  return found;
}
