import { readdirSync, readFileSync } from "node:fs";
import * as z from "zod";

const staticElement = z.strictObject({ reference: z.union([z.int(), z.string()]), type: z.string() });
const dynamicElement = z.strictObject({
  hexdata: z.string(),
  length: z.int(),
  reference: z.int(),
  type: z.string(),
});
const jsonObject = z.record(z.string(), z.json());

const schema = z.strictObject({
  description: z.string(),
  /** What encoded the arguments: never the code under test. */
  encoder: z.string(),
  function: z.enum(["set", "insert"]),
  inputdata: z.string(),
  /** The event table to which the signature binds the row; without it the signature is over the row data alone. */
  contract: z.strictObject({ chainId: z.int(), address: z.string() }).optional(),
  /** The account whose signature the call carries. */
  signer: z.string().nullable(),
  row: z.strictObject({
    rowId: z.string(),
    sender: z.string(),
    code: z.string(),
    createdAt: z.string(),
    topic: z.string(),
    format: z.string(),
  }),
  transaction: z.strictObject({
    comp: staticElement,
    rowdata: dynamicElement.extend({ filechain: z.string(), payload: jsonObject }),
    rowid: staticElement,
    signature: dynamicElement,
    tabname: dynamicElement,
  }),
  /** What an own vector was made from. */
  record: z
    .strictObject({
      tabname: z.string(),
      signingKey: z.string(),
      rowId: z.string(),
      code: z.string(),
      createdAt: z.string(),
      payload: jsonObject,
      topic: z.string(),
    })
    .optional(),
});

/** Call data and what they decode to. Call data that were ever given out decode the same for ever. */
export type CallDataVector = z.infer<typeof schema> & { readonly name: string };

/** The vectors in this folder. */
export function callDataVectors(): CallDataVector[] {
  const folder = import.meta.dirname;
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return files.map((file) => ({
    ...schema.parse(JSON.parse(readFileSync(`${folder}/${file}`, "utf8"))),
    name: file.replace(/\.json$/, ""),
  }));
}
