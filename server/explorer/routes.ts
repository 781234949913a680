import { type Request, type Response, Router } from "express";
import { sendJson } from "../http/json-response.ts";
import type { z } from "zod";
import type { ChainExplorer } from "./explorer.ts";
import { search } from "./search.ts";
import { SealbookError } from "../errors.ts";
import { sourceOf } from "../http/access/source.ts";
import { parseInput } from "../http/errors.ts";
import type { RateLimit } from "../http/limits.ts";
import { KeyedQueue } from "../kit/keyed-queue.ts";
import { onlyMethods } from "../http/only-methods.ts";
import { sendProblem } from "../http/problem.ts";
import {
  toActivityResponse,
  toAddressResponse,
  toAnchorResponse,
  toAnchorList,
  toBlockResponse,
  toBlockList,
  toChainResponse,
  toTransactionResponse,
} from "./response-mapping.ts";
import { AddressParameter, BlockParameter, HashParameter, ListQuery, LogQuery, SearchQuery } from "./schemas.ts";

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

/** Serves public data of the chain below `/explorer/api`. */
export function explorerRouter({ explorer, requestsPerSource }: ExplorerDeps): Router {
  const queue = new KeyedQueue<string>(AT_ONCE, AT_ONCE, UNFINISHED);
  // With a trailing slash, a list would match the path of an entry with an empty id.
  const router = Router({ strict: true });
  router.use(async (request, _response, next) => {
    await requestsPerSource(sourceOf(request).key);
    next();
  });

  /** Adds a path with GET. */
  const get = (path: string, handle: (request: Request<Record<string, string>>) => Promise<object>): void => {
    router
      .route(path)
      .get(async (request: Request<Record<string, string>>, response: Response) => {
        sendJson(response, await queue.run(sourceOf(request).key, () => handle(request)));
      })
      .all(onlyMethods("GET"));
  };
  const pageOf = (request: Request<Record<string, string>>) => parseInput(ListQuery, request.query, "query");
  const logsOf = (request: Request<Record<string, string>>) => parseInput(LogQuery, request.query, "query");

  get("/chain", async () => toChainResponse(await explorer.chain()));
  get("/blocks", async (request) => toBlockList(await explorer.blocks(pageOf(request))));
  get("/blocks/:id", async (request) => {
    const id = parameter(BlockParameter, request, "id");
    return toBlockResponse(existing(await explorer.block(id, pageOf(request)), `the chain has no block ${id}`));
  });
  get("/transactions/:hash", async (request) => {
    const hash = parameter(HashParameter, request, "hash");
    return toTransactionResponse(
      existing(await explorer.transaction(hash, sourceOf(request).key), `the chain has no transaction ${hash}`),
    );
  });
  get("/anchors", async (request) => toAnchorList(await explorer.anchors(logsOf(request))));
  get("/anchors/:hash", async (request) => {
    const hash = parameter(HashParameter, request, "hash");
    return toAnchorResponse(existing(await explorer.anchor(hash), `${hash} was not anchored`));
  });
  get("/addresses/:address", async (request) =>
    toAddressResponse(await explorer.address(parameter(AddressParameter, request, "address"))),
  );
  get("/addresses/:address/activity", async (request) =>
    toActivityResponse(
      await explorer.activity(parameter(AddressParameter, request, "address"), logsOf(request), sourceOf(request).key),
    ),
  );
  get("/search", async (request) => ({
    results: await search(explorer, parseInput(SearchQuery, request.query, "query").q),
  }));

  router.use(() => {
    throw new SealbookError("not_found", "there is nothing at this path");
  });
  router.use(sendProblem);
  return router;
}

function parameter<Schema extends z.ZodType>(
  schema: Schema,
  request: Request<Record<string, string>>,
  name: string,
): z.output<Schema> {
  return parseInput(schema, request.params[name], name);
}

function existing<T>(found: T | undefined, otherwise: string): T {
  if (found === undefined) throw new SealbookError("not_found", otherwise);
  return found;
}
