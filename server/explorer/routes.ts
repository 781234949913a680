import { getAddress } from "ethers";
import type { RequestHandler } from "express";
import { SealbookError } from "../errors.ts";
import { sourceOf } from "../http/access/source.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import type { InputOf, ResultOf, Route } from "../http/route.ts";
import { type RouteLimits, serve, type ServedRoute } from "../http/serve.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
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
} from "./api.ts";
import type { ChainExplorer } from "./explorer.ts";
import { withinDeadline } from "../chain/rpc/rpc.ts";
/** Requests that are made at a time: the chain's node serves the relayer as well. */
const AT_ONCE = 2;
/** A body with the call data of the largest record fits in. */
const CALL_BODY = { bytes: 600 * 1024, advice: "use the command decode for larger call data" };
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
  const admit: RequestHandler = async (request, response, next) => {
    await requestsPerSource(sourceOf(request).key, response);
    next();
  };
  const explore =
    <R extends Route>(route: R, limits: RouteLimits = {}) =>
    (read: (input: InputOf<R>, source: string) => Promise<ResultOf<R>>): ServedRoute =>
      serve(route, { admit, ...limits })((input, request) => {
        const { key } = sourceOf(request);
        return withinDeadline(queue.run(key, () => read(input, key)));
      });
  const { blocks, transactions, anchors, addresses } = explorer;

  return [
    explore(exploreChain)(() => explorer.chain()),
    explore(exploreBlocks)(({ query }) => blocks.newest(query)),
    explore(exploreBlock)(async ({ params: { id }, query }) =>
      existing(await blocks.block(id, query), `the chain has no block ${id}`),
    ),
    explore(exploreTransactions)(({ query: { without, ...page } }) => blocks.transactions(page, without)),
    explore(exploreTransaction)(async ({ params: { hash } }, source) =>
      existing(await transactions.transaction(hash, source), `the chain has no transaction ${hash}`),
    ),
    explore(decodeCall, { size: CALL_BODY })(({ body: { input } }, source) => transactions.decoded(input, source)),
    explore(exploreAnchors)(({ query }) => anchors.newest(query)),
    explore(exploreAnchor)(async ({ params: { hash } }) =>
      existing(await anchors.anchor(hash), `${hash} was not anchored`),
    ),
    explore(exploreAddress)(({ params }) => addresses.address(getAddress(params.address))),
    explore(exploreActivity)(({ params, query }, source) =>
      addresses.activity(getAddress(params.address), query, source),
    ),
    explore(searchChain)(async ({ query: { q } }) => ({ results: await explorer.search(q) })),
  ];
}

function existing<T>(found: T | undefined, otherwise: string): T {
  if (found === undefined) throw new SealbookError("not_found", otherwise);
  return found;
}
