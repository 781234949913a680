import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { isPostgres } from "./portable-schema.ts";

/** Ended tokens have no keys. */
export const forgottenKeys: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    const empty = isPostgres(db) ? sql`'\\x'::bytea` : sql`x''`;
    await sql`update sessions set wrapped_secure_key = ${empty}, encrypted_signing_key = ${empty}
      where state = 'ended'`.execute(db);
    await sql`create index sessions_with_keys on sessions (expires_at_seconds)
      where length(wrapped_secure_key) > 0`.execute(db);
    await sql`create index sessions_with_keys_by_id on sessions (session_id)
      where length(wrapped_secure_key) > 0`.execute(db);
  },
};
