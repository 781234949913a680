import type { Request } from "express";
import type { RecordRow } from "../../domain/records/record.ts";
import type { RecordService } from "../../domain/records/record-service.ts";
import type { SessionService } from "../../domain/sessions/session-service.ts";
import { toHex } from "../../domain/sessions/token.ts";
import { parseInput } from "../errors.ts";
import type { RateLimit } from "../limits.ts";
import { secondsSince } from "./envelope.ts";
import { SearchCall, StoreCall } from "./schemas.ts";

/** What the event routes need. */
export interface EventRouteParts {
  readonly sessions: SessionService;
  readonly records: RecordService;
  readonly storesPerAccount: RateLimit;
}

/** `/api/datastore/event/store` */
export async function store(parts: EventRouteParts, request: Request): Promise<object> {
  const { credentials, payload } = parseInput(StoreCall, request.body);
  const authorized = await parts.sessions.authorize(credentials.token);
  await parts.storesPerAccount(authorized.account.address);
  const { rowId, event } = await parts.records.store(authorized, payload);
  return { chainid: Number(rowId), event, notification: false, result: "success" };
}

/** `/api/datastore/event/search` */
export async function search(parts: EventRouteParts, request: Request): Promise<object> {
  const { credentials, payload } = parseInput(SearchCall, request.body);
  await parts.sessions.authorize(credentials.token);
  const { target, value, limit, cursor, places } = payload.search;
  const { rows, next } = await parts.records.search({
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
      ...(places ? { places: rows.map(toPlace) } : {}),
    },
  };
}

function toPlace({ rowId, transactionHash, blockNumber }: RecordRow): object {
  const chainid = rowId <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(rowId) : rowId.toString();
  return { chainid, tx_hash: toHex(transactionHash), block_number: blockNumber };
}

function toEvent(row: RecordRow): [sender: string, code: string, createdAt: string, payload: string, topic: string] {
  return [row.sender, row.code, row.createdAt, row.payload, row.topic];
}
