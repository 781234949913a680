import type { Request } from "express";
import type { RecordRow } from "./record.ts";
import type { SessionService } from "../sessions/index.ts";
import { noteAccount } from "../http/access/caller.ts";
import { parseInput } from "../http/errors.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import type { RateLimit } from "../http/limits.ts";
import { secondsSince } from "../http/record-store/envelope.ts";
import type { RecordStoreRoute } from "../http/record-store/router.ts";
import { decode, type DecodeRouteDeps } from "./decode-route.ts";
import type { SearchContent, StoreContent } from "./responses.ts";
import { type KeyedStoreDeps, storeOnce } from "./keyed-store.ts";
import { toLocation, toMarks } from "./response-mapping.ts";
import { SearchCall, StoreCall } from "./schemas.ts";

/** Most bytes of a decode call: the call data of the largest record that can be stored fits in. */
const MAX_DECODE_BODY = 256 * 1024;

/** What the routes of records need. */
export interface RecordRouteDeps extends DecodeRouteDeps, KeyedStoreDeps {
  readonly sessions: SessionService;
  readonly storesPerAccount: RateLimit;
  readonly searchesPerAccount: RateLimit;
}

/** The routes of records. */
export function recordRoutes(deps: RecordRouteDeps): readonly (readonly [string, RecordStoreRoute])[] {
  return [
    ["/api/datastore/event/store", { handle: (request) => store(deps, request) }],
    ["/api/datastore/event/search", { handle: (request) => search(deps, request) }],
    ["/api/datastore/transaction/decode", { handle: (request) => decode(deps, request), maxBody: MAX_DECODE_BODY }],
  ];
}

/** `/api/datastore/event/store` */
async function store(deps: RecordRouteDeps, request: Request): Promise<StoreContent> {
  const { credentials, payload } = parseInput(StoreCall, request.body);
  const key = idempotencyKeyOf(request);
  const authorized = await deps.sessions.authorize(credentials.token);
  noteAccount(request, authorized.account.address);
  await deps.storesPerAccount(authorized.account.address);
  const { rowId, event } = await storeOnce(deps, authorized, payload, key);
  return { chainid: Number(rowId), event, notification: false, result: "success" };
}

/** `/api/datastore/event/search` */
async function search(deps: RecordRouteDeps, request: Request): Promise<SearchContent> {
  const { credentials, payload } = parseInput(SearchCall, request.body);
  const { account } = await deps.sessions.authorize(credentials.token);
  noteAccount(request, account.address);
  await deps.searchesPerAccount(account.address);
  const { target, value, limit, cursor, locations } = payload.search;
  const { rows, next } = await deps.records.search(account.address, {
    field: target === "1" ? "code" : "topic",
    phrase: value,
    limit,
    ...(cursor === undefined ? {} : { before: cursor }),
  });
  const start = performance.now();
  const events = rows.map(toEvent);
  return {
    component_render: secondsSince(start),
    tparams: {
      events,
      ...(next === undefined ? {} : { next: String(next) }),
      ...(locations ? { locations: rows.map(toLocation) } : {}),
      ...toMarks(rows),
    },
  };
}

function toEvent(row: RecordRow): [sender: string, code: string, createdAt: string, payload: string, topic: string] {
  return [row.sender, row.code, row.createdAt, row.payload, row.topic];
}
