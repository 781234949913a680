import * as z from "zod";
import { storedText } from "../http/fields.ts";
import { defineCall, TokenCredentials } from "../http/record-store/call.ts";
import type { JsonObject } from "../kit/json.ts";
import { DecodeContent, SearchContent, StoreContent } from "./responses.ts";

/** The contract functions that write a row. They have the same arguments. */
export const ROW_FUNCTIONS = ["set", "insert"] as const;

/** Characters of a code or topic. */
const MAX_TEXT = 256;
const DEFAULT_SEARCH_LIMIT = 1_000;
const MAX_SEARCH_LIMIT = 10_000;

const text = (maximum: number) => storedText(maximum).min(1, "is empty");

// Accepted as it is: the body parser has checked every value already.
const jsonObject: z.ZodType<JsonObject, Readonly<Record<string, unknown>>> = z
  .custom<JsonObject>(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "is not an object",
  )
  .meta({
    type: "object",
    additionalProperties: true,
    description: "Any JSON object. Its numbers are stored as they are written. Each key appears once in its object.",
  });

export const store = defineCall({
  route: "/api/datastore/event/store",
  name: "Store",
  description:
    "Stores a record. The response follows its confirmation on the chain. With an `Idempotency-Key` the record is " +
    "stored once, however often the call is repeated within 24 hours.",
  input: z.object({
    credentials: TokenCredentials,
    payload: z.object({ code: text(MAX_TEXT), topic: text(MAX_TEXT), payload: jsonObject }),
  }),
  content: StoreContent,
});

export const search = defineCall({
  route: "/api/datastore/event/search",
  name: "Search",
  description: "Searches records, newest first.",
  input: z.object({
    credentials: TokenCredentials,
    payload: z.object({
      search: z.object({
        target: z
          .enum(["1", "2"], 'is neither "1" (code) nor "2" (topic)')
          .meta({ description: "The field to search: `1` for the code, `2` for the topic." }),
        value: text(2 * MAX_TEXT).meta({
          description: "`*` matches any sequence of characters, `\\*` a literal star.",
        }),
        limit: z
          .int()
          .min(1, "is less than 1")
          .max(MAX_SEARCH_LIMIT, `is more than ${MAX_SEARCH_LIMIT}`)
          .default(DEFAULT_SEARCH_LIMIT),
        cursor: z
          .string()
          .regex(/^[1-9]\d{0,14}$/, "is not a cursor of an earlier response")
          .transform(Number)
          .optional()
          .meta({ description: "`next` of the previous page." }),
        locations: z
          .boolean()
          .default(false)
          .meta({ description: "Whether the response includes the location of each record on the chain." }),
      }),
    }),
  }),
  content: SearchContent,
});

export const decode = defineCall({
  route: "/api/datastore/transaction/decode",
  name: "Decode",
  description: "Decodes the call data of a transaction that stored a record.",
  input: z.object({
    credentials: TokenCredentials,
    payload: z.object({
      function: z.enum(ROW_FUNCTIONS, "is neither set nor insert"),
      inputdata: z.string().meta({ description: "The call data of the transaction, hexadecimal." }),
    }),
  }),
  content: DecodeContent,
});

/** The calls of records. */
export const RECORD_CALLS = [store, search, decode] as const;
