import type { RecordService } from "./service.ts";
import { type Decoded, jsonInteger, type RowFunction } from "./call-data.ts";
import { prefixedHex } from "../kit/bytes.ts";
import type { RecordRow } from "./record.ts";
import type { RecordLocation, RecordMark } from "./responses.ts";
import type { RowChecks, RowVerdict as Verdict } from "../http/record-store/responses.ts";
import { type RowAudit, type RowChecks as Checks, type RowVerdict, signedRow } from "./row-audit.ts";
import { SealbookError } from "../errors.ts";
import { noteAccount } from "../http/access/caller.ts";
import { idempotencyKeyOf } from "../http/idempotency-key.ts";
import type { RateLimit } from "../http/rate-limit.ts";
import { secondsSince } from "../http/record-store/envelope.ts";
import { serveCall, type ServedCall } from "../http/record-store/router.ts";
import type { SessionService } from "../sessions/index.ts";
import { decode, search, store } from "./api.ts";
import type { Decoder } from "./decoder.ts";

function toLocation({ rowId, transactionHash, blockNumber }: RecordRow): RecordLocation {
  return { chainid: jsonInteger(rowId), tx_hash: prefixedHex(transactionHash), block_number: blockNumber };
}

/** Returns the marks of the records that have any; nothing when none has. */
function toMarks(rows: readonly RecordRow[]): { marks?: RecordMark[] } {
  const marks = rows.flatMap((row, event) =>
    row.overwrittenBy === undefined ? [] : [{ event, overwritten_by: prefixedHex(row.overwrittenBy) }],
  );
  return marks.length === 0 ? {} : { marks };
}

export function toChecks({ passed, signer, binding, signedBySender, rowIdMatches }: Checks): RowChecks {
  return {
    passed,
    signer: signer ?? null,
    signed_by_sender: signedBySender,
    binding: binding ?? null,
    row_id_matches: rowIdMatches,
  };
}

/** Returns `null` for a row that the index does not have. */
export function toVerdict(found: RowVerdict | undefined): Verdict | null {
  if (found === undefined) return null;
  const { verdict, original } = found;
  const { tableName, rowId, transactionHash, blockNumber } = original;
  return {
    verdict,
    table: tableName,
    chainid: jsonInteger(rowId),
    tx_hash: prefixedHex(transactionHash),
    block_number: blockNumber,
    overwritten_by: found.overwrittenBy === undefined ? null : prefixedHex(found.overwrittenBy),
  };
}

/** Most bytes of a decode call: the call data of the largest record that can be stored fits in. */
const MAX_DECODE_BODY = 256 * 1024;
/** Where the call data is in a call. */
const INPUT_PATH = "payload.inputdata";

/** Dependencies of the record calls. */
export interface RecordRouteDeps {
  readonly records: Pick<RecordService, "store" | "search">;
  readonly sessions: Pick<SessionService, "authorize">;
  readonly decoder: Pick<Decoder, "decode">;
  readonly audit: RowAudit;
  readonly storesPerAccount: RateLimit;
  readonly searchesPerAccount: RateLimit;
  readonly decodesPerAccount: RateLimit;
}

/** The calls of records. */
export function recordCalls(deps: RecordRouteDeps): ServedCall[] {
  return [
    serveCall(store)(async ({ credentials, payload }, request, response) => {
      const key = idempotencyKeyOf(request);
      const authorized = await deps.sessions.authorize(credentials.token, "storing");
      const { address } = authorized.account;
      noteAccount(request, address);
      await deps.storesPerAccount(address, response);
      const callKey = key === undefined ? undefined : { caller: `account ${address}`, text: key };
      const { rowId, event } = await deps.records.store(authorized, payload, callKey);
      return { chainid: Number(rowId), event, notification: false, result: "success" };
    }),

    serveCall(search)(async ({ credentials, payload }, request, response) => {
      const { account } = await deps.sessions.authorize(credentials.token, "reading");
      noteAccount(request, account.address);
      await deps.searchesPerAccount(account.address, response);
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
    }),

    serveCall(
      decode,
      MAX_DECODE_BODY,
    )(async ({ credentials, payload: { inputdata, function: name } }, request, response) => {
      const { account } = await deps.sessions.authorize(credentials.token, "reading");
      noteAccount(request, account.address);
      await deps.decodesPerAccount(account.address, response);
      const start = performance.now();
      const { transaction, checks } = await decoded(deps.decoder, account.address, inputdata, name);
      const record = toVerdict(await deps.audit.verdictOf(signedRow(transaction, inputdata)));
      return { component_render: secondsSince(start), tparams: { transaction, checks: toChecks(checks), record } };
    }),
  ];
}

/** The decoder names faults by their place in the call data; the caller wrote these in a call. */
async function decoded(
  decoder: Pick<Decoder, "decode">,
  account: string,
  inputdata: string,
  name: RowFunction,
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

function toEvent(row: RecordRow): [sender: string, code: string, createdAt: string, payload: string, topic: string] {
  return [row.sender, row.code, row.createdAt, row.payload, row.topic];
}
