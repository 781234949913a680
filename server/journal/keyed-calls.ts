import { createHash } from "node:crypto";
import { SealbookError } from "../errors.ts";
import type { Database } from "./engine/database.ts";
import { sortedJson } from "../kit/json.ts";

/** How long a call can be repeated with its key. */
export const LIFETIME_MILLISECONDS = 24 * 3_600_000;
/** Expired calls that each new one deletes: more than one, so that they never accumulate. */
const DELETED_AT_ONCE = 10;

/** A call with an idempotency key, which its client repeats when no response arrives. */
export interface KeyedCall {
  /** SHA-256 of the caller and the key. */
  readonly id: Uint8Array;
  /** SHA-256 of the route and the body, whatever the order of its members. */
  readonly digest: Uint8Array;
}

/** Stores calls with idempotency keys, for all relayers on the database. */
export interface KeyedCallStore {
  /**
   * Stores a call, unless it is known.
   * @param now Unix milliseconds
   * @returns when it was first made, in Unix milliseconds
   * @throws SealbookError `key_reused` when the key was used for another call
   */
  begin(call: KeyedCall, now: number): Promise<number>;
}

/**
 * Creates a call.
 * @param caller Who makes it: the keys of different callers are different
 * @param content The route and the body, without credentials
 */
export function keyedCall(caller: string, key: string, content: readonly [route: string, body: unknown]): KeyedCall {
  return { id: callerKeyOf(caller, key), digest: digestOf(content) };
}

/** Computes SHA-256 of a caller and its key. */
export function callerKeyOf(caller: string, key: string): Uint8Array {
  return sha256(JSON.stringify([caller, key]));
}

/** Computes SHA-256 of a route and a body, whatever the order of its members. */
export function digestOf(content: readonly [route: string, body: unknown]): Uint8Array {
  return sha256(sortedJson(content));
}

/** @param database A transaction, for more than one write */
export function keyedCallStore(database: Database): KeyedCallStore {
  return {
    async begin({ id, digest }, now) {
      const expired = now - LIFETIME_MILLISECONDS;
      const row = await database.selectFrom("keyed_calls").selectAll().where("id", "=", id).executeTakeFirst();
      if (row !== undefined && row.begun_at > expired) {
        if (Buffer.compare(row.digest, digest) !== 0) throw keyReused();
        // No call begins later than its repetition.
        return Math.min(row.begun_at, now);
      }
      await database
        .deleteFrom("keyed_calls")
        .where("id", "in", (e) =>
          e
            .selectFrom("keyed_calls")
            .select("id")
            .where("begun_at", "<=", expired)
            .orderBy("begun_at")
            .limit(DELETED_AT_ONCE),
        )
        .execute();
      const values = { digest, begun_at: now };
      await database
        .insertInto("keyed_calls")
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column("id").doUpdateSet(values))
        .execute();
      return now;
    },
  };
}

/** Returns the error for a key that another call had. */
export function keyReused(): SealbookError {
  const message = "was used for another call within 24 hours";
  return new SealbookError("key_reused", `Idempotency-Key: ${message}`, {
    details: [{ path: "Idempotency-Key", message }],
  });
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
