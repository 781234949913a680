import type { Dialect } from "kysely";

/** A database on one engine, as servers find it, and as it looks from outside of them. */
export interface EngineDatabase {
  /** For `DATABASE_URL`. */
  readonly url: string;
  connect(): Dialect;
  /** Asks what is committed. */
  ask(text: string): Promise<Record<string, unknown>[]>;
  /** Bytes as a statement writes them. */
  literal(bytes: Uint8Array): string;
  /** Whether somebody is in the middle of a write. */
  isLocked(): Promise<boolean>;
  /** Lets nobody else write until what is given back is called. */
  hold(): Promise<() => Promise<void>>;
  remove(): Promise<void>;
}
