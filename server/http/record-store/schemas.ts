import { z } from "zod";

/** The route of a call, which its error response names. */
export const NamedRoute = z.object({ route: z.string() });

/** The common fields of every call. */
export const Envelope = z.object({
  credentials: z.looseObject({}),
  method: z.literal("GET", "is not GET, the only method there is"),
  route: z.string(),
});

/** The credentials of a call of a session. */
export const TokenCredentials = z
  .object({ token: z.string() })
  .meta({ id: "Token", description: "The token of the session's newest response." });
