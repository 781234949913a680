import { z } from "zod";
import { NDJSON } from "../http/ndjson.ts";
import { linesOf } from "../http/openapi/json-schemas.ts";
import { JSON_TYPE, type Operation } from "../http/openapi/operation.ts";
import { Comparison, ComparisonLine, Gap, Inventory, RecordedDocument, UnknownAnchor } from "./responses.ts";
import {
  answered,
  COMPARED,
  EXAMPLE_IDS,
  lines,
  missing,
  RECORDED_CONTRACT,
  RESTORED,
  TOTALS,
} from "../http/openapi/examples.ts";
import { refusals } from "../http/openapi/refusals.ts";
import { GapQuery, InventoryQuery, RestoredRow, VerifyBody, VerifyQuery } from "./schemas.ts";

const TAG = "Recovery";
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** What is asked after a disaster. */
export const RECOVERY_OPERATIONS: readonly Operation[] = [
  {
    id: "verifyRestored",
    method: "post",
    path: "/api/v1/recovery/verify",
    tag: TAG,
    summary: "Compare what was restored with what was recorded",
    description:
      "Tells of every document whether it is what was recorded last, is something else, or was never recorded. NDJSON is answered line by line while it comes in, and may have any length; `as_of` stands in the query then; with JSON it may stand in either, and has to be the same in both.",
    isGuarded: true,
    parameters: { query: VerifyQuery },
    body: { [JSON_TYPE]: VerifyBody, [NDJSON]: linesOf(RestoredRow, NDJSON, "Restored documents, one a line.") },
    answers: [
      {
        status: 200,
        description: "How the documents compare.",
        content: {
          [JSON_TYPE]: Comparison,
          [NDJSON]: linesOf(ComparisonLine, NDJSON, "The documents as they compare, one a line, then the totals."),
        },
      },
      ...refusals(400, 413, 415),
    ],
    examples: [
      {
        name: "restored",
        summary: "One as it was, one changed, one unknown",
        body: { type: JSON_TYPE, value: { documents: RESTORED } },
        answer: answered({ ...TOTALS, documents: COMPARED }),
      },
      {
        name: "lines",
        summary: "The same line by line",
        query: { as_of: "2100-01-01" },
        body: { type: NDJSON, value: lines(RESTORED) },
        answer: answered(lines([...COMPARED, { ...TOTALS, as_of: 4_102_531_199 }]), 200, NDJSON),
      },
    ],
  },
  {
    id: "inventory",
    method: "get",
    path: "/api/v1/recovery/inventory",
    tag: TAG,
    summary: "List what was recorded",
    description:
      "The documents that were on chain at a time, each with what was recorded of it last. Whoever accepts NDJSON gets all pages, a document a line.",
    isGuarded: true,
    parameters: { query: InventoryQuery },
    answers: [
      {
        status: 200,
        description: "A page of documents, or all of them.",
        content: { [JSON_TYPE]: Inventory, [NDJSON]: linesOf(RecordedDocument, NDJSON, "Documents, one a line.") },
      },
      ...refusals(400),
    ],
    examples: [
      {
        name: "first",
        summary: "The first one",
        query: { limit: 1 },
        answer: answered({ as_of: null, documents: [RECORDED_CONTRACT], next: "2" }),
      },
    ],
  },
  {
    id: "gap",
    method: "get",
    path: "/api/v1/recovery/gap",
    tag: TAG,
    summary: "List what is missing",
    description:
      "Recorded documents that a comparison did not see, or anchors on chain that the journal lacks. Whoever accepts NDJSON gets all pages, an entry a line.",
    isGuarded: true,
    parameters: { query: GapQuery },
    answers: [
      {
        status: 200,
        description: "A page of what is missing, or all of it.",
        content: {
          [JSON_TYPE]: Gap,
          [NDJSON]: linesOf(z.union([RecordedDocument, UnknownAnchor]), NDJSON, "Documents, or anchors, one a line."),
        },
      },
      ...refusals(400, 404),
    ],
    examples: [
      {
        name: "restored",
        summary: "What did not come back",
        query: { verification_id: EXAMPLE_IDS.verification },
        answer: answered({
          against: "restored",
          verification_id: EXAMPLE_IDS.verification,
          as_of: null,
          documents: [RECORDED_CONTRACT],
        }),
      },
      {
        name: "journal",
        summary: "What the journal lacks",
        query: { against: "journal", limit: 10 },
        answer: answered({ against: "journal", anchors: [] }),
      },
      {
        name: "unknown",
        summary: "There was no such comparison",
        query: { verification_id: UNKNOWN },
        answer: missing(`there is no verification ${UNKNOWN}`),
      },
    ],
  },
];
