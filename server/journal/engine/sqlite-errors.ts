import { SealbookError } from "../../errors.ts";

const RETRY_SECONDS = 5;
/** Primary result codes of damaged content: SQLITE_CORRUPT, SQLITE_NOTADB. */
const DAMAGED = [11, 26];
/**
 * Primary result codes of a database that cannot be used at present: SQLITE_BUSY, SQLITE_LOCKED, SQLITE_READONLY,
 * SQLITE_IOERR, SQLITE_FULL, SQLITE_CANTOPEN.
 */
const UNAVAILABLE = [5, 6, 8, 10, 13, 14];
const BUSY = 5;

/**
 * Translates an error of the disk or the file to `journal_unavailable`; returns others as they are.
 * @param onDamage Called with the reason when the content of the file is damaged
 */
export function translateError(error: unknown, onDamage: (reason: string) => void): unknown {
  const code = primaryCode(error);
  if (code === undefined || !(error instanceof Error)) return error;
  if (DAMAGED.includes(code)) onDamage(`the database is damaged: ${error.message}`);
  else if (!UNAVAILABLE.includes(code)) return error;
  return new SealbookError("journal_unavailable", `the journal's database fails: ${error.message}`, {
    cause: error,
    retryAfterSeconds: RETRY_SECONDS,
  });
}

/** Returns whether another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}
