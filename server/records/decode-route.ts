import type { Request } from "express";
import type { z } from "zod";
import type { Decoder } from "./decoder.ts";
import type { Decoded } from "./decoded-transaction.ts";
import type { DecodeContent } from "./responses.ts";
import { toChecks, toVerdict } from "./response-mapping.ts";
import { type RowAudit, signedRow } from "./row-audit.ts";
import type { SessionService } from "../sessions/index.ts";
import { SealbookError } from "../errors.ts";
import { noteAccount } from "../http/access/caller.ts";
import { parseInput } from "../http/errors.ts";
import type { RateLimit } from "../http/limits.ts";
import { secondsSince } from "../http/record-store/envelope.ts";
import { DecodeCall } from "./schemas.ts";

/** Where the call data is in a call. */
const INPUT_PATH = "payload.inputdata";

/** What the decode route needs. */
export interface DecodeRouteDeps {
  readonly sessions: SessionService;
  readonly decoder: Pick<Decoder, "decode">;
  readonly audit: RowAudit;
  readonly decodesPerAccount: RateLimit;
}

/** `/api/datastore/transaction/decode` */
export async function decode(deps: DecodeRouteDeps, request: Request): Promise<DecodeContent> {
  const { credentials, payload } = parseInput(DecodeCall, request.body);
  const { account } = await deps.sessions.authorize(credentials.token);
  noteAccount(request, account.address);
  await deps.decodesPerAccount(account.address);
  const start = performance.now();
  const { transaction, checks } = await decoded(deps.decoder, account.address, payload);
  const record = toVerdict(await deps.audit.verdictOf(signedRow(transaction)));
  return { component_render: secondsSince(start), tparams: { transaction, checks: toChecks(checks), record } };
}

/** The decoder names faults by their place in the call data; the caller wrote these in a call. */
async function decoded(
  decoder: Pick<Decoder, "decode">,
  account: string,
  { inputdata, function: name }: z.output<typeof DecodeCall>["payload"],
): Promise<Decoded> {
  try {
    return await decoder.decode({ group: "accounts", id: account }, inputdata, name);
  } catch (error) {
    if (!(error instanceof SealbookError) || error.details === undefined) throw error;
    const details = error.details.map(({ path, message }) => ({
      path: path === "inputdata" ? INPUT_PATH : `${INPUT_PATH}.${path}`,
      message,
    }));
    const reasons = details.map(({ path, message }) => `${path}: ${message}`);
    throw new SealbookError(error.code, reasons.join("; "), { details, cause: error });
  }
}
