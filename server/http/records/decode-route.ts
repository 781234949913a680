import type { Request } from "express";
import type { TransactionDecoder } from "../../domain/ports.ts";
import type { SessionService } from "../../domain/sessions/session-service.ts";
import { parseInput } from "../errors.ts";
import { secondsSince } from "./envelope.ts";
import { DecodeCall } from "./schemas.ts";

/** What the decode route needs. */
export interface DecodeRouteParts {
  readonly sessions: SessionService;
  readonly decoder: TransactionDecoder;
}

/** `/api/datastore/transaction/decode` */
export async function decode(parts: DecodeRouteParts, request: Request): Promise<object> {
  const { credentials, payload } = parseInput(DecodeCall, request.body);
  await parts.sessions.authorize(credentials.token);
  const start = performance.now();
  const transaction = parts.decoder(payload.inputdata, payload.function);
  return { component_render: secondsSince(start), tparams: { transaction } };
}
