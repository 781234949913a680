import { z } from "zod";

const hex32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, "is not 32 bytes as 0x hex");
const reference = z.union([z.int(), z.string()]);
const jsonObject = z.record(z.string(), z.unknown());

/** A payload as the server writes it: JSON in base64. */
const Payload = z.base64().transform((text, context) => {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return jsonObject.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    context.addIssue({ code: "custom", message: "is not JSON" });
    return z.NEVER;
  }
});

/** The envelope of every answer. */
export const Envelope = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal(1), content: jsonObject }),
  z.looseObject({
    status: z.literal(0),
    content: z.looseObject({
      error: z.looseObject({
        code: z.string(),
        message: z.string(),
        details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      }),
    }),
  }),
]);

const session = {
  /** The account. */
  addr: z.string(),
  /** The session's secure key. */
  pkey: z.string(),
  scope: z.string(),
  /** Remaining seconds. */
  session: z.int(),
  /** The access token to use from now on. */
  tx: hex32,
};

export const AuthContent = z.looseObject({
  component: z.string(),
  tparams: z.looseObject({
    ...session,
    extensions: z.array(z.looseObject({ name: z.string(), title: z.string(), version: z.string() })),
    status: z.boolean(),
    stats: z.record(z.string(), z.int()),
    svclogs: z.array(z.looseObject({ time: z.string(), level: z.string(), message: z.string() })),
    table: z.string(),
    tmpl_sesstoken: z.string(),
  }),
});

export const SessionContent = z.looseObject({
  sesstatus: z.boolean(),
  /** Whether the session could be extended now. */
  tryextend: z.boolean(),
  tparams: z.looseObject({ ...session, svcauth: z.string() }),
});

export const CloseContent = z.looseObject({
  component: z.string(),
  tparams: z.looseObject({ svcauth: z.string(), table: z.string(), tmpl_sesstoken: z.string() }),
});

export const StoreContent = z.looseObject({
  /** Identifies the record on the blockchain. */
  chainid: z.int(),
  event: z.string(),
  notification: z.boolean(),
  result: z.literal("success"),
});

const Location = z
  .looseObject({ chainid: reference, tx_hash: hex32, block_number: z.int() })
  .transform(({ chainid, tx_hash, block_number }) => ({
    chainId: String(chainid),
    transactionHash: tx_hash,
    blockNumber: block_number,
  }));

const FoundRow = z
  .tuple([z.string(), z.string(), z.string(), Payload, z.string()])
  .transform(([sender, code, createdAt, payload, topic]) => ({ sender, code, createdAt, payload, topic }));

export const SearchContent = z.looseObject({
  tparams: z
    .looseObject({ events: z.array(FoundRow), locations: z.array(Location).optional(), next: z.string().optional() })
    .transform(({ events, locations, next }) => ({
      events: events.map((row, index) => ({ ...row, location: locations?.[index] })),
      next,
    })),
});

const StaticElement = z.looseObject({ reference, type: z.string() });
const DynamicElement = z.looseObject({ hexdata: z.string(), length: z.int(), reference, type: z.string() });

const DecodedTransaction = z.looseObject({
  comp: StaticElement,
  rowdata: DynamicElement.extend({ filechain: z.string(), payload: jsonObject }),
  rowid: StaticElement,
  signature: DynamicElement,
  tabname: DynamicElement,
});

export const DecodeContent = z.looseObject({ tparams: z.looseObject({ transaction: DecodedTransaction }) });

export type Authenticated = z.output<typeof AuthContent>;
export type SessionState = z.output<typeof SessionContent>;
export type Closed = z.output<typeof CloseContent>;
export type StoredRecord = z.output<typeof StoreContent>;
/** A record; `location` is where on the chain it is, when that was asked for. */
export type FoundRecord = z.output<typeof SearchContent>["tparams"]["events"][number];
export type DecodedTransaction = z.output<typeof DecodedTransaction>;
