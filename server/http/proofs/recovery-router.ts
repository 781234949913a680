import { once } from "node:events";
import { type NextFunction, type Request, type Response, Router } from "express";
import type { RecoveryService, RunningVerification } from "../../domain/recovery/recovery-service.ts";
import type { RestoredDocument } from "../../domain/recovery/restored.ts";
import { SealbookError } from "../../errors.ts";
import { parseInput, toSealbookError } from "../errors.ts";
import { jsonBody } from "../json-body.ts";
import { type Line, lineFault, NDJSON, NDJSON_TYPES, ndjsonLines } from "../ndjson.ts";
import { onlyMethods } from "../only-methods.ts";
import { problemOf } from "./problem.ts";
import { representCompared, representDocument, representUnknownAnchor, representVerification } from "./recovery-representation.ts";
import { GapQuestion, InventoryQuestion, RestoredRow, VerifyBody, VerifyQuestion } from "./recovery-schemas.ts";

const MAX_BODY = 16 * 1024 * 1024;
/** Rows compared together. */
const ROWS_AT_ONCE = 256;

/** The recovery endpoints, below `/api/v1/recovery`. */
export function recoveryRouter(recovery: RecoveryService): Router {
  const router = Router();

  router
    .route("/verify")
    .post(
      async (request: Request, response: Response, next: NextFunction) => {
        if (request.is(NDJSON_TYPES)) await verifyStream(recovery, request, response);
        else next();
      },
      jsonBody(MAX_BODY),
      async (request: Request, response: Response) => {
        const { as_of, documents } = parseInput(VerifyBody, request.body);
        const running = await recovery.begin(as_of);
        const rows: string[] = [];
        for (let first = 0; first < documents.length; first += ROWS_AT_ONCE) {
          rows.push(...(await compare(running, documents.slice(first, first + ROWS_AT_ONCE))));
        }
        const verification = JSON.stringify(representVerification(await running.finish()));
        // The rows stand in the answer exactly as the root is over them.
        response.type("json").send(`${verification.slice(0, -1)},"documents":[${rows.join(",")}]}`);
      },
    )
    .all(onlyMethods("POST"));

  router
    .route("/inventory")
    .get(async (request: Request, response: Response) => {
      const { date, limit, cursor } = parseInput(InventoryQuestion, request.query, "query");
      if (request.accepts(["application/json", NDJSON]) === NDJSON) {
        await streamPages(request, response, cursor, async (after) => {
          const { proofs, next } = await recovery.inventory(date, after ?? 0, limit);
          return { rows: proofs.map(representDocument), next };
        });
        return;
      }
      const { proofs, next } = await recovery.inventory(date, cursor, limit);
      response.json({ as_of: date ?? null, documents: proofs.map(representDocument), ...(next === undefined ? {} : { next: String(next) }) });
    })
    .all(onlyMethods("GET"));

  router
    .route("/gap")
    .get(async (request: Request, response: Response) => {
      const { verification_id, against, limit, cursor } = parseInput(GapQuestion, request.query, "query");
      const streams = request.accepts(["application/json", NDJSON]) === NDJSON;
      if (against === "journal") {
        const pageAfter = async (after: number | undefined) => {
          const { anchors, next } = await recovery.unknownAnchors(after, limit);
          return { rows: anchors.map(representUnknownAnchor), next };
        };
        if (streams) return streamPages(request, response, cursor, pageAfter);
        const { rows, next } = await pageAfter(cursor);
        response.json({ against, anchors: rows, ...(next === undefined ? {} : { next: String(next) }) });
        return;
      }
      const verification = await recovery.verification(verification_id);
      const pageAfter = async (after: number | undefined) => {
        const { proofs, next } = await recovery.gap(verification, after ?? 0, limit);
        return { rows: proofs.map(representDocument), next };
      };
      if (streams) return streamPages(request, response, cursor, pageAfter);
      const { rows, next } = await pageAfter(cursor);
      response.json({
        against,
        verification_id: verification.id,
        as_of: verification.asOf ?? null,
        documents: rows,
        ...(next === undefined ? {} : { next: String(next) }),
      });
    })
    .all(onlyMethods("GET"));

  return router;
}

/** Compares rows as they come in and tells each at once: neither side has to keep all of them. */
async function verifyStream(recovery: RecoveryService, request: Request, response: Response): Promise<void> {
  const { as_of } = parseInput(VerifyQuestion, request.query, "query");
  const running = await recovery.begin(as_of);
  let waiting: RestoredDocument[] = [];
  const compareWaiting = async (): Promise<void> => {
    const rows = await compare(running, waiting);
    waiting = [];
    await write(response, rows.map((row) => `${row}\n`).join(""));
  };
  try {
    for await (const line of ndjsonLines(request)) {
      waiting.push(rowOf(line));
      if (waiting.length === ROWS_AT_ONCE) await compareWaiting();
    }
    if (waiting.length > 0) await compareWaiting();
    await write(response, `${JSON.stringify(representVerification(await running.finish()))}\n`);
    response.end();
  } catch (thrown) {
    // Nothing was told yet: a plain refusal. Else the last line says why there are no more.
    if (!response.headersSent) throw thrown;
    const { body } = problemOf(toSealbookError(thrown));
    response.end(`${JSON.stringify({ error: body })}\n`);
  }
}

function rowOf({ number, value }: Line): RestoredDocument {
  try {
    return parseInput(RestoredRow, value, "");
  } catch (thrown) {
    const { message, details: [detail] = [] } = toSealbookError(thrown);
    throw lineFault(number, detail?.message ?? message, detail?.path);
  }
}

async function compare(running: RunningVerification, documents: readonly RestoredDocument[]): Promise<string[]> {
  const rows = (await running.compare(documents)).map((compared) => JSON.stringify(representCompared(compared)));
  for (const row of rows) running.told(row);
  return rows;
}

/** All pages, one after the other, a row a line; one page only where a limit is asked for. */
async function streamPages(
  request: Request,
  response: Response,
  start: number | undefined,
  page: (after: number | undefined) => Promise<{ rows: readonly object[]; next: number | undefined }>,
): Promise<void> {
  for (let after = start, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { rows, next } = await page(after);
    await write(response, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    after = request.query["limit"] === undefined ? next : undefined;
  }
  response.end();
}

/** Waits for a slow reader instead of keeping what it does not take. */
async function write(response: Response, text: string): Promise<void> {
  if (!response.headersSent) response.status(200).type(NDJSON);
  if (response.destroyed) throw new SealbookError("malformed", "the connection was closed");
  if (!response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")]);
}
