import { z } from "zod";
import { kept } from "../kept.ts";

const OpenSession = z.object({
  token: z.string(),
  account: z.string(),
  scope: z.string(),
  /** When the token ends, Unix milliseconds. */
  endsAt: z.number(),
  /** When the session is to be validated and extended; `null` when it was not to be extended any more. */
  renewAt: z.number().nullable(),
  /** The server's view of the account as of the login, without token and secure key. */
  area: z.string(),
  openedAt: z.number(),
});

/** A session, as it outlives the page. */
export type OpenSession = z.output<typeof OpenSession>;

/** Where the session is. */
export interface SessionStore {
  read(): OpenSession | undefined;
  write(session: OpenSession | undefined): void;
  /** Tells of what other tabs write. */
  onChange(listener: () => void): void;
  /** How long what another tab has written may stay unseen here, in milliseconds. */
  readonly lag: number;
}

/**
 * In the browser, for all tabs and when the page is loaded again. Neither password nor secure key is there, and the
 * token lives a minute.
 */
export function storeOfTabs(): SessionStore {
  const stored = kept("session");
  return {
    read: () => parse(stored.read()),
    write: (session) => (session === undefined ? stored.remove() : stored.write(JSON.stringify(session))),
    onChange: (listener) => addEventListener("storage", listener),
    // Tabs are processes of their own, which browsers tell of each other's writes in their own time.
    lag: 3_000,
  };
}

/** In this page only. */
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
