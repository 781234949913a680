import { z } from "zod";

/** A duration as the envelope writes it. */
export const duration = z
  .string()
  .regex(/^\d+\.\d{6}$/)
  .meta({ description: "The duration in seconds." });

/** A fragment of HTML for the panel. */
export const component = z.base64().meta({ description: "A fragment of HTML, in base64." });

/** Creates the envelope of a successful call. */
export function successOf<Content extends z.ZodObject>(route: string, content: Content) {
  return z.object({
    content,
    msg: z.literal(`${route} fetch is successful`),
    render: duration,
    status: z.literal(1),
  });
}

/** The envelope of a failed call. */
export const Failure = z
  .object({
    content: z.object({
      error: z.object({
        code: z
          .string()
          .regex(/^[a-z_]+$/)
          .meta({ description: "The stable identifier of the error." }),
        message: z.string(),
        details: z
          .array(z.object({ path: z.string(), message: z.string() }))
          .optional()
          .meta({ description: "Every invalid field of the request, by its path." }),
      }),
    }),
    msg: z.string().regex(/ fetch is failed: /),
    render: duration,
    status: z.literal(0),
  })
  .meta({ id: "Failure", description: "The envelope of a failed call." });
