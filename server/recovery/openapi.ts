import { z } from "zod";
import { NDJSON } from "../http/ndjson.ts";
import { linesOf } from "../http/openapi/json-schemas.ts";
import { JSON_TYPE, type Operation, errorResponses } from "../http/openapi/operation.ts";
import { Comparison, ComparisonLine, Gap, Inventory, RecordedDocument, UnknownAnchor } from "./responses.ts";
import {
  exampleResponse,
  COMPARED,
  EXAMPLE_IDS,
  lines,
  notFound,
  RECORDED_CONTRACT,
  RESTORED,
  TOTALS,
} from "../http/openapi/examples.ts";
import { GapQuery, InventoryQuery, RestoredRow, VerifyBody, VerifyQuery } from "./schemas.ts";

const TAG = "Recovery";
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** The recovery API. */
export const RECOVERY_OPERATIONS: readonly Operation[] = [
  {
    id: "verifyRestored",
    method: "post",
    path: "/api/v1/recovery/verify",
    tag: TAG,
    summary: "Compare restored documents with their records",
    description:
      "Compares each document with its newest record: `match`, `mismatch` or `unrecorded`. NDJSON bodies of any " +
      "length are processed as a stream, with `as_of` in the query. With JSON, `as_of` can be in the query or in " +
      "the body, and both must agree.",
    isGuarded: true,
    parameters: { query: VerifyQuery },
    body: { [JSON_TYPE]: VerifyBody, [NDJSON]: linesOf(RestoredRow, NDJSON, "Restored documents, one per line.") },
    responses: [
      {
        status: 200,
        description: "The result of the comparison.",
        content: {
          [JSON_TYPE]: Comparison,
          [NDJSON]: linesOf(ComparisonLine, NDJSON, "The compared documents, one per line, then the totals."),
        },
      },
      ...errorResponses(400, 413, 415),
    ],
    examples: [
      {
        name: "restored",
        summary: "One unchanged, one changed, one unknown",
        body: { type: JSON_TYPE, value: { documents: RESTORED } },
        response: exampleResponse({ ...TOTALS, documents: COMPARED }),
      },
      {
        name: "lines",
        summary: "The same as NDJSON",
        query: { as_of: "2100-01-01" },
        body: { type: NDJSON, value: lines(RESTORED) },
        response: exampleResponse(lines([...COMPARED, { ...TOTALS, as_of: 4_102_531_199 }]), 200, NDJSON),
      },
    ],
  },
  {
    id: "inventory",
    method: "get",
    path: "/api/v1/recovery/inventory",
    tag: TAG,
    summary: "List recorded documents",
    description:
      "Lists the documents that were on chain at a time, each with its newest record. An NDJSON response has all " +
      "pages, one document per line.",
    isGuarded: true,
    parameters: { query: InventoryQuery },
    responses: [
      {
        status: 200,
        description: "A page of documents, or all of them.",
        content: { [JSON_TYPE]: Inventory, [NDJSON]: linesOf(RecordedDocument, NDJSON, "Documents, one per line.") },
      },
      ...errorResponses(400),
    ],
    examples: [
      {
        name: "first",
        summary: "The first document",
        query: { limit: 1 },
        response: exampleResponse({ as_of: null, documents: [RECORDED_CONTRACT], next: "2" }),
      },
    ],
  },
  {
    id: "gap",
    method: "get",
    path: "/api/v1/recovery/gap",
    tag: TAG,
    summary: "List missing documents or anchors",
    description:
      "Lists recorded documents that a comparison did not include, or anchors on chain that are missing in the " +
      "journal. An NDJSON response has all pages, one entry per line.",
    isGuarded: true,
    parameters: { query: GapQuery },
    responses: [
      {
        status: 200,
        description: "A page of the missing entries, or all of them.",
        content: {
          [JSON_TYPE]: Gap,
          [NDJSON]: linesOf(z.union([RecordedDocument, UnknownAnchor]), NDJSON, "Documents or anchors, one per line."),
        },
      },
      ...errorResponses(400, 404),
    ],
    examples: [
      {
        name: "restored",
        summary: "Documents missing from the restored data",
        query: { verification_id: EXAMPLE_IDS.verification },
        response: exampleResponse({
          against: "restored",
          ...TOTALS,
          documents: [RECORDED_CONTRACT],
        }),
      },
      {
        name: "journal",
        summary: "Anchors missing in the journal",
        query: { against: "journal", limit: 10 },
        response: exampleResponse({ against: "journal", anchors: [] }),
      },
      {
        name: "unknown",
        summary: "Unknown comparison",
        query: { verification_id: UNKNOWN },
        response: notFound(`there is no verification ${UNKNOWN}`),
      },
    ],
  },
];
