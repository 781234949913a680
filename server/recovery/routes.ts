import { Readable } from "node:stream";
import type { Request, Response } from "express";
import type { RecoveryService } from "./service.ts";
import type { ListedState } from "./newest-proofs.ts";
import type { RunningVerification } from "./running-verification.ts";
import type { RestoredDocument } from "./verification.ts";
import { malformed, SealbookError } from "../errors.ts";
import { apiCaller, type ApiCaller } from "../http/access/caller.ts";
import { parseInput, toSealbookError } from "../http/errors.ts";
import { type Line, lineFault, NDJSON_TYPES, ndjsonLines, sendLines } from "../http/ndjson.ts";
import { streamedBody } from "../http/forwarding/accept.ts";
import { heavyRequests } from "../http/source-limits.ts";
import { type ServedRoute, serveRaw } from "../http/serve.ts";
import { sendJson } from "../http/json-response.ts";
import { toComparedDocument, toRecordedDocument, toRecoveryVerification, toUnknownAnchor } from "./response-mapping.ts";
import { gap, inventory, RestoredRow, verifyRestored } from "./api.ts";

/** Maximum bytes of a JSON body. */
const MAX_BODY = 1024 * 1024;
/** More do not fit into a JSON body. */
const MAX_JSON_DOCUMENTS = 12_000;
/** A body of this length is read before the response begins: browsers read it only after they have sent the request. */
const READ_AT_ONCE_BYTES = 4 * 1024 * 1024;
/** Comparisons and lists of one source that run at a time. */
const STREAMS_PER_SOURCE = 2;
/** Rows compared together. */
const ROWS_AT_ONCE = 1_024;

/** The verification that an NDJSON response is about. */
const VERIFICATION_HEADER = "X-Verification-Id";

/** A page of rows, and the cursor of the next page. */
interface Page {
  readonly rows: readonly object[];
  readonly next: number | undefined;
}

/** The recovery routes. */
export function recoveryRoutes(recovery: RecoveryService): ServedRoute[] {
  const admit = heavyRequests(STREAMS_PER_SOURCE);
  return [
    serveRaw(verifyRestored, {
      admit,
      size: { bytes: MAX_BODY, advice: "send the documents as NDJSON" },
      list: { name: "documents", most: MAX_JSON_DOCUMENTS, advice: "send them as NDJSON" },
    })(async ({ query: { as_of }, body }, request, response) => {
      // Before anything of the body is read, so that the leader can get it.
      recovery.assertLeads();
      const caller = retentionCallerOf(request);
      if (body === undefined) {
        assertPlain(request);
        // Compares rows as they arrive and returns each result immediately.
        await sendLines(response, compared(recovery, as_of, caller, documentsIn(request)));
        return;
      }
      if (as_of !== undefined && body.as_of !== undefined && as_of !== body.as_of)
        throw malformed("as_of", "differs in the query and in the body; send one of them");
      const groups = chunksOf(body.documents, ROWS_AT_ONCE);
      const lines = (await Array.fromAsync(compared(recovery, body.as_of ?? as_of, caller, groups))).flat();
      const verification = lines.pop() ?? "";
      // The texts of the rows are the leaves of the root and are sent unchanged.
      response.type("json").send(`${verification.slice(0, -1)},"documents":[${lines.join(",")}]}`);
    }),

    serveRaw(inventory, { admit })(
      async ({ query: { date, as_of: asOf = date, q: text, limit, cursor, ...search } }, request, response) => {
        const state = cursor ?? (await recovery.state());
        const head = { as_of: asOf ?? null };
        const pages = { head, name: "documents", start: cursor?.before, limit, cursorOf: cursorIn(state) };
        await sendPages(request, response, pages, async (before, most) => {
          const { documents, next } = await recovery.inventory({ ...search, text, asOf }, state, before, most);
          return { rows: documents.map(toRecordedDocument), next };
        });
      },
    ),

    serveRaw(gap, { admit })(async ({ query: { verification_id, against, limit, cursor } }, request, response) => {
      if (against === "journal") {
        const start = typeof cursor === "number" ? cursor : undefined;
        const pages = { head: { against }, name: "anchors", start, limit };
        await sendPages(request, response, pages, async (after, most) => {
          const { anchors, next } = await recovery.unknownAnchors(after, most);
          return { rows: anchors.map(toUnknownAnchor), next };
        });
        return;
      }
      const verification = await recovery.verification(verification_id, nameOf(apiCaller(request)));
      const head = { against, ...toRecoveryVerification(verification) };
      response.set(VERIFICATION_HEADER, verification.id);
      const position = typeof cursor === "object" ? cursor : undefined;
      const state = position ?? (await recovery.state());
      const pages = { head, name: "documents", start: position?.before, limit, cursorOf: cursorIn(state) };
      await sendPages(request, response, pages, async (before, most) => {
        const { documents, next } = await recovery.gap(verification, state, before, most);
        return { rows: documents.map(toRecordedDocument), next };
      });
    }),
  ];
}

/** Returns a function that writes cursors of a list of documents. */
function cursorIn({ newestEntry, newestBlock }: ListedState): (next: number) => string {
  return (next) => `${next}-${newestEntry}-${newestBlock}`;
}

function assertPlain(request: Request): void {
  const encoding = request.get("Content-Encoding") ?? "identity";
  if (encoding !== "identity")
    throw new SealbookError("unsupported_media_type", `NDJSON is taken as it is, not in the encoding ${encoding}`);
}

function* chunksOf<T>(items: readonly T[], size: number): Generator<T[], void> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Returns for whom a comparison is kept: storing it needs the right to write. */
function retentionCallerOf(request: Request): string | undefined {
  const caller = apiCaller(request);
  return caller.scope === "write" ? nameOf(caller) : undefined;
}

function nameOf({ kind, id }: ApiCaller): string {
  return `${kind} ${id}`;
}

async function* documentsIn(request: Request): AsyncGenerator<RestoredDocument[], void> {
  let isEmpty = true;
  try {
    const body = streamedBody(request);
    const isShort = Number(request.get("Content-Length") ?? Infinity) <= READ_AT_ONCE_BYTES;
    const read = isShort ? Readable.from([Buffer.concat(await body.toArray())]) : body;
    for await (const lines of ndjsonLines(read, ROWS_AT_ONCE)) {
      yield lines.map(documentOf);
      isEmpty = false;
    }
  } finally {
    // Some clients read the response only after sending the whole body.
    request.resume();
  }
  if (isEmpty) throw malformed("body", "has no row");
}

function documentOf({ number, value }: Line): RestoredDocument {
  const parsed = RestoredRow.safeParse(value);
  if (parsed.success) return parsed.data;
  try {
    return parseInput(RestoredRow, value, "");
  } catch (thrown) {
    const { message, details: [detail] = [] } = toSealbookError(thrown);
    throw lineFault(number, detail?.message ?? message, detail?.path);
  }
}

/** Compares documents with their records, group by group; the last line contains the totals. */
async function* compared(
  recovery: RecoveryService,
  asOf: number | undefined,
  caller: string | undefined,
  groups: Iterable<RestoredDocument[]> | AsyncIterable<RestoredDocument[]>,
): AsyncGenerator<string[], void> {
  let running: RunningVerification | undefined;
  try {
    for await (const documents of groups) {
      // Starts with the first group, so that a request that is rejected at once stores nothing.
      running ??= await recovery.begin(asOf, caller);
      const rows = (await running.compare(documents)).map((row) => JSON.stringify(toComparedDocument(row)));
      for (const row of rows) running.addRow(row);
      yield rows;
    }
    if (running !== undefined) yield [JSON.stringify(toRecoveryVerification(await running.finish()))];
  } finally {
    await running?.abandon();
  }
}

/** A paged response. */
interface Pages {
  /** Fields before the rows. */
  readonly head: object;
  /** The field of the rows. */
  readonly name: string;
  /** The cursor of the first page. */
  readonly start: number | undefined;
  /** Maximum number of rows of a page. */
  readonly limit: number;
  /** The text of a cursor. */
  readonly cursorOf?: (next: number) => string;
}

/** Sends a page as JSON, or all pages as NDJSON; with a limit, NDJSON has at most as many rows. */
async function sendPages(
  request: Request,
  response: Response,
  { head, name, start, limit, cursorOf = String }: Pages,
  page: (from: number | undefined, most: number) => Promise<Page>,
): Promise<void> {
  if (request.accepts(["application/json", ...NDJSON_TYPES]) === "application/json" || !request.accepts(NDJSON_TYPES)) {
    const { rows, next } = await page(start, limit);
    sendJson(response, { ...head, [name]: rows, ...(next === undefined ? {} : { next: cursorOf(next) }) });
    return;
  }
  const isAll = request.query["limit"] === undefined;
  const lines = async function* (): AsyncGenerator<string[], void> {
    let [from, left] = [start, limit];
    for (let isFirst = true; isFirst || (from !== undefined && left > 0); isFirst = false) {
      const { rows, next } = await page(from, isAll ? ROWS_AT_ONCE : left);
      yield rows.map((row) => JSON.stringify(row));
      from = next;
      if (!isAll) left -= rows.length;
    }
  };
  await sendLines(response, lines());
}
