import type { Dialect } from "kysely";

/** A database on one engine, in its initial state for servers, with access from outside of them. */
export interface EngineDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  connect(): Dialect;
  /** Queries the committed state. */
  query(text: string): Promise<Record<string, unknown>[]>;
  /** Formats bytes as an SQL literal. */
  literal(bytes: Uint8Array): string;
  /** Whether a write transaction is open. */
  isLocked(): Promise<boolean>;
  /** Blocks all other writes until the returned function is called. */
  hold(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}
