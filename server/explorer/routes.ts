import { type Request, type Response, Router } from "express";
import type { z } from "zod";
import type { ChainExplorer } from "./explorer.ts";
import { search } from "./search.ts";
import { SealbookError } from "../errors.ts";
import { parseInput } from "../http/errors.ts";
import type { RateLimit } from "../http/limits.ts";
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
import { AskedAddress, AskedBlock, AskedHash, ListQuestion, SearchQuestion } from "./schemas.ts";

/** What the explorer needs: the chain, and nothing of the journal. */
export interface ExplorerDeps {
  readonly explorer: ChainExplorer;
  /** By network address: every question is one for the chain's node. */
  readonly questionsPerSource: RateLimit;
}

/** What anybody can see of the chain, below `/explorer/api`. Nobody has to say who asks. */
export function explorerRouter({ explorer, questionsPerSource }: ExplorerDeps): Router {
  // A list with a slash behind it would be something of the list without a name.
  const router = Router({ strict: true });
  router.use(async (request, _response, next) => {
    await questionsPerSource(request.ip ?? "");
    next();
  });

  /** A path that answers GET. */
  const answers = (path: string, answer: (request: Request<Record<string, string>>) => Promise<object>): void => {
    router
      .route(path)
      .get(async (request: Request<Record<string, string>>, response: Response) => {
        response.json(await answer(request));
      })
      .all(onlyMethods("GET"));
  };
  const pageOf = (request: Request<Record<string, string>>) => parseInput(ListQuestion, request.query, "query");

  answers("/chain", async () => toChainResponse(await explorer.chain()));
  answers("/blocks", async (request) => toBlockList(await explorer.blocks(pageOf(request))));
  answers("/blocks/:id", async (request) => {
    const id = parameter(AskedBlock, request, "id");
    return toBlockResponse(existing(await explorer.block(id, pageOf(request)), `the chain has no block ${id}`));
  });
  answers("/transactions/:hash", async (request) => {
    const hash = parameter(AskedHash, request, "hash");
    return toTransactionResponse(existing(await explorer.transaction(hash), `the chain has no transaction ${hash}`));
  });
  answers("/anchors", async (request) => toAnchorList(await explorer.anchors(pageOf(request))));
  answers("/anchors/:hash", async (request) => {
    const hash = parameter(AskedHash, request, "hash");
    return toAnchorResponse(existing(await explorer.anchor(hash), `${hash} was not anchored`));
  });
  answers("/addresses/:address", async (request) =>
    toAddressResponse(await explorer.address(parameter(AskedAddress, request, "address"))),
  );
  answers("/addresses/:address/activity", async (request) =>
    toActivityResponse(await explorer.activity(parameter(AskedAddress, request, "address"), pageOf(request))),
  );
  answers("/search", async (request) => ({
    results: await search(explorer, parseInput(SearchQuestion, request.query, "query").q),
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
