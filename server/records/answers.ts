import { z } from "zod";

const seconds = z
  .string()
  .regex(/^\d+\.\d{6}$/)
  .meta({ description: "Seconds that it took." });
const component = z.base64().meta({ description: "A piece of HTML, in base64." });

/** A token, a secure key: 32 bytes. */
const Secret = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ id: "Secret", description: "32 bytes as `0x` and 64 hexadecimal digits." });

const formToken = z.string().regex(/^0x[0-9a-f]{96}$/);

const session = {
  addr: z.string().meta({ description: "The account." }),
  pkey: Secret.meta({ description: "The session's secure key." }),
  scope: z.string(),
  session: z.int().nonnegative().meta({ description: "Seconds that the session has left." }),
  tx: Secret.meta({ description: "The token to use from now on." }),
};

const AuthContent = z.object({
  component,
  component_render: seconds,
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

const SessionContent = z.object({
  sesstatus: z.boolean(),
  tryextend: z.boolean().meta({ description: "Whether the session could be extended now." }),
  tparams: z.object({ ...session, svcauth: z.string().meta({ description: "The token that was replaced." }) }),
});

const CloseContent = z.object({
  component,
  component_render: seconds,
  tparams: z.object({ svcauth: z.string(), table: z.literal("panel/login"), tmpl_sesstoken: formToken }),
});

const StoreContent = z.object({
  chainid: z.int().positive().meta({ description: "Identifies the record on chain." }),
  event: z.string(),
  notification: z.boolean(),
  result: z.literal("success"),
});

const reference = z
  .union([z.int(), z.string()])
  .meta({ description: "A number, or a text where it is too large for one." });

const SearchContent = z.object({
  component_render: seconds,
  tparams: z.object({
    events: z.array(z.tuple([z.string(), z.string(), z.string(), z.base64(), z.string()])).meta({
      description: "Sender, code, time, payload (JSON in base64) and topic of each record, the newest first.",
    }),
    next: z.string().optional().meta({ description: "The cursor of the next page; missing on the last one." }),
    locations: z
      .array(
        z.object({
          chainid: reference,
          tx_hash: z.string().regex(/^0x[0-9a-f]{64}$/),
          block_number: z.int().nonnegative(),
        }),
      )
      .optional()
      .meta({ description: "Where on the chain each of the records is, in their order, when that was asked for." }),
  }),
});

const fixed = z.object({ reference, type: z.string() });
const dynamic = { hexdata: z.string(), length: z.int(), reference, type: z.string() };

const DecodeContent = z.object({
  component_render: seconds,
  tparams: z.object({
    transaction: z.object({
      comp: fixed,
      rowdata: z.object({ ...dynamic, filechain: z.string(), payload: z.record(z.string(), z.unknown()) }),
      rowid: fixed,
      signature: z.object(dynamic),
      tabname: z.object(dynamic),
    }),
  }),
});

/** What each route's answer has in its envelope. */
export const CONTENTS = {
  "/api/admin/auth": AuthContent,
  "/api/admin/session/validate": SessionContent,
  "/api/admin/session/extend": SessionContent,
  "/api/admin/session/close": CloseContent,
  "/api/datastore/event/store": StoreContent,
  "/api/datastore/event/search": SearchContent,
  "/api/datastore/transaction/decode": DecodeContent,
} as const;

/** A route of the record store API. */
export type RecordRoute = keyof typeof CONTENTS;

/** The envelope of a call that succeeded. */
export function successOf(route: RecordRoute) {
  return z.object({
    content: CONTENTS[route],
    msg: z.literal(`${route} fetch is successful`),
    render: seconds,
    status: z.literal(1),
  });
}

/** The envelope of a call that failed. */
export const Failure = z
  .object({
    content: z.object({
      error: z.object({
        code: z
          .string()
          .regex(/^[a-z_]+$/)
          .meta({ description: "Names the kind of failure; it does not change." }),
        message: z.string(),
        details: z
          .array(z.object({ path: z.string(), message: z.string() }))
          .optional()
          .meta({ description: "Every fault in what was sent, by the place where it is." }),
      }),
    }),
    msg: z.string().regex(/ fetch is failed: /),
    render: seconds,
    status: z.literal(0),
  })
  .meta({ id: "Failure", description: "The envelope of a call that failed." });
