import * as z from "zod";
import { component, duration } from "../http/record-store/responses.ts";
import type { ResponseOf } from "../http/responses.ts";

/** An access token or a secure key. */
const Secret = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/, "is not 32 bytes as 0x hex")
  .meta({ id: "Secret", description: "32 bytes as `0x` and 64 hexadecimal digits." });

const formToken = z.string().regex(/^0x[0-9a-f]{96}$/);

const session = {
  addr: z.string().meta({ description: "The account." }),
  pkey: Secret.meta({ description: "The secure key of the session." }),
  scope: z.string(),
  session: z.int().nonnegative().meta({ description: "The remaining seconds of the session." }),
  tx: Secret.meta({ description: "The access token for the next call." }),
};

/** `/api/admin/auth` */
export const AuthContent = z.object({
  component,
  component_render: duration,
  tparams: z.object({
    ...session,
    extensions: z.array(z.object({ name: z.string(), title: z.string(), version: z.string() })),
    stats: z.record(z.string(), z.int()),
    status: z.boolean(),
    svcauth: z.literal(""),
    svclogs: z.array(z.object({ time: z.string(), level: z.string(), message: z.string() })),
    table: z.literal("panel/area"),
    tmpl_sesstoken: formToken,
  }),
});

/** `/api/admin/session/validate` and `/api/admin/session/extend` */
export const SessionContent = z.object({
  sesstatus: z.boolean(),
  tryextend: z.boolean().meta({ description: "Whether an extend call would be accepted now." }),
  tparams: z.object({ ...session, svcauth: z.string().meta({ description: "The replaced access token." }) }),
});

/** `/api/admin/session/close` */
export const CloseContent = z.object({
  component,
  component_render: duration,
  tparams: z.object({ svcauth: z.string(), table: z.literal("panel/login"), tmpl_sesstoken: formToken }),
});

export type AuthContent = ResponseOf<typeof AuthContent>;
export type SessionContent = ResponseOf<typeof SessionContent>;
export type CloseContent = ResponseOf<typeof CloseContent>;
