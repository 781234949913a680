import { z } from "zod";

/** A failure by RFC 9457. */
export const Problem = z
  .object({
    type: z
      .string()
      .regex(/^urn:sealbook:problem:[a-z_]+$/)
      .meta({ description: "Names the kind of failure; it does not change." }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: "What went wrong, for people." }),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: "Every fault in what was sent, by the place where it is." }),
  })
  .meta({ id: "Problem", description: "A failure by RFC 9457." });
