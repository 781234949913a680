import { z } from "zod";

/** A call that says at least what it is about, so that its failure can name it. */
export const NamedRoute = z.object({ route: z.string() });

/** What every call has; the rest depends on the route. */
export const Envelope = z.object({
  credentials: z.record(z.string(), z.unknown()),
  method: z.literal("GET", "is not GET, the only method there is"),
  route: z.string(),
});

/** The credentials of a call of a session. */
export const TokenCredentials = z
  .object({ token: z.string() })
  .meta({ id: "Token", description: "The token that the newest answer of the session gave." });
