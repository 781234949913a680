import * as z from "zod";
import { limitedText } from "../http/fields.ts";
import { defineCall, TokenCredentials } from "../http/record-store/call.ts";
import { AuthContent, CloseContent, SessionContent } from "./responses.ts";

const MAX_PASSWORD = 1024;

const WithToken = z.object({ credentials: TokenCredentials });

export const auth = defineCall({
  route: "/api/admin/auth",
  name: "Auth",
  description: "Opens a session.",
  input: z.object({
    credentials: z.object({
      login: z
        .string()
        .regex(/^0x[0-9a-fA-F]{40}$/, "is not a blockchain address: 0x and 40 hexadecimal digits")
        .meta({ description: "The account's address." }),
      password: limitedText(MAX_PASSWORD).min(1, "is empty"),
    }),
  }),
  content: AuthContent,
});

const REPEATABLE =
  "With an `Idempotency-Key` of 16 to 255 characters a call whose response got lost, or that got 503, can be repeated.";

export const validate = defineCall({
  route: "/api/admin/session/validate",
  name: "Validate",
  description: `Validates an active session and replaces its token. ${REPEATABLE}`,
  input: WithToken,
  content: SessionContent,
});

export const extend = defineCall({
  route: "/api/admin/session/extend",
  name: "Extend",
  description: `Gives a validated session a new lifetime and replaces its token. ${REPEATABLE}`,
  input: WithToken,
  content: SessionContent,
});

export const close = defineCall({
  route: "/api/admin/session/close",
  name: "Close",
  description: "Closes a session.",
  input: WithToken,
  content: CloseContent,
});

/** The calls of sessions. */
export const SESSION_CALLS = [auth, validate, extend, close] as const;
