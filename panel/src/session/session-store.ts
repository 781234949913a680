import * as z from "zod";
import { storedText } from "../stored-text.ts";

const OpenSession = z.object({
  token: z.string(),
  account: z.string(),
  scope: z.string(),
  /** End of the token, Unix milliseconds. */
  endsAt: z.number(),
  /** Time of the next validation and extension; `null` when the session is no longer extended. */
  renewAt: z.number().nullable(),
  /** A replacement of the token whose response has not arrived. Its key lets another page repeat the call. */
  pending: z.object({ call: z.enum(["validate", "extend"]), key: z.string() }).optional(),
  /** Figures of the server and the log of the account. */
  atLogin: z.object({
    statistics: z.record(z.string(), z.number()),
    log: z.array(z.object({ time: z.string(), level: z.string(), message: z.string() })).readonly(),
  }),
  openedAt: z.number(),
});

/** A session, as it is stored across a reload. */
export type OpenSession = z.output<typeof OpenSession>;

/** Storage of the session. */
export interface SessionStore {
  read(): OpenSession | undefined;
  write(session: OpenSession | undefined): void;
  /** Notifies the listener of writes by other tabs. */
  onChange(listener: () => void): void;
  /** Maximum delay of another tab's write, in milliseconds. */
  readonly lag: number;
}

/**
 * Stores the session in the browser, for all tabs and across a reload. It contains neither password nor secure key, and
 * the token expires after a minute.
 */
export function storeOfTabs(): SessionStore {
  const stored = storedText("session");
  return {
    read: () => parse(stored.read()),
    write: (session) => (session === undefined ? stored.remove() : stored.write(JSON.stringify(session))),
    onChange: (listener) => addEventListener("storage", listener),
    // Tabs are separate processes; browsers publish writes between them with a delay.
    lag: 3_000,
  };
}

/** Stores the session in this page only. */
export function storeOfPage(): SessionStore {
  let current: OpenSession | undefined;
  return { read: () => current, write: (session) => (current = session), onChange: () => undefined, lag: 0 };
}

function parse(text: string | undefined): OpenSession | undefined {
  if (text === undefined) return undefined;
  try {
    return OpenSession.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
