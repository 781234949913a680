import * as z from "zod";

export const Document = z.object({
  name: z.string(),
  size: z.number(),
  /** SHA-256, in hex. */
  hash: z.string(),
});

/** A file with its hash. */
export type Document = Readonly<z.output<typeof Document>>;
