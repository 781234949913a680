import * as z from "zod";
import { duration, reference, RowChecks, RowVerdict } from "../http/record-store/responses.ts";
import { ChainHash, next, type ResponseOf } from "../http/responses.ts";

/** `/api/datastore/event/store` */
export const StoreContent = z.object({
  chainid: z.int().positive().meta({ description: "The id of the record on the chain." }),
  event: z.string(),
  notification: z.boolean(),
  result: z.literal("success"),
});

const RecordMark = z.object({
  event: z.int().nonnegative().meta({ description: "Index of the record in `events`." }),
  overwritten_by: ChainHash.meta({ description: "The transaction that wrote another row over it." }),
});

const RecordLocation = z.object({ chainid: reference, tx_hash: ChainHash, block_number: z.int().nonnegative() });

/** `/api/datastore/event/search` */
export const SearchContent = z.object({
  component_render: duration,
  tparams: z.object({
    events: z.array(z.tuple([z.string(), z.string(), z.string(), z.base64(), z.string()])).meta({
      description: "Sender, code, time, payload (JSON in base64) and topic of each record, newest first.",
    }),
    next,
    locations: z
      .array(RecordLocation)
      .optional()
      .meta({ description: "The position of each record on the chain, in the same order, on request." }),
    marks: z.array(RecordMark).optional().meta({ description: "The records that were overwritten, if there are any." }),
  }),
});

const StaticElement = z.object({ reference, type: z.string() });
const DynamicElement = z.object({ hexdata: z.string(), length: z.int(), reference, type: z.string() });

const DecodedTransaction = z.object({
  comp: StaticElement,
  rowdata: z.object({
    ...DynamicElement.shape,
    filechain: z.string().meta({ description: "The seven segments, decompressed." }),
    payload: z.record(z.string(), z.unknown()).meta({ description: "The JSON of the fifth segment." }),
  }),
  rowid: StaticElement,
  signature: DynamicElement,
  tabname: DynamicElement,
});

/** `/api/datastore/transaction/decode` */
export const DecodeContent = z.object({
  component_render: duration,
  tparams: z.object({
    transaction: DecodedTransaction,
    checks: RowChecks,
    record: RowVerdict.nullable().meta({
      description: "The row in this server's index of its table; `null` when that does not have it.",
    }),
  }),
});

export type StoreContent = ResponseOf<typeof StoreContent>;
export type RecordMark = ResponseOf<typeof RecordMark>;
export type RecordLocation = ResponseOf<typeof RecordLocation>;
export type SearchContent = ResponseOf<typeof SearchContent>;
export type DecodedTransaction = ResponseOf<typeof DecodedTransaction>;
export type DecodeContent = ResponseOf<typeof DecodeContent>;
