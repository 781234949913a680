import type { Selectable } from "kysely";
import type { ApiKey, ApiKeyStore } from "../http/access/caller.ts";
import type { Database } from "../journal/engine/database.ts";
import type { ApiKeysTable } from "../journal/engine/schema.ts";

function toKey(row: Selectable<ApiKeysTable>): ApiKey {
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    digest: row.digest,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  };
}

export function apiKeyStore(database: Database): ApiKeyStore {
  return {
    async insert({ id, name, scope, digest, createdAt, expiresAt }) {
      await database
        .insertInto("api_keys")
        .values({ id, name, scope, digest, created_at: createdAt, expires_at: expiresAt ?? null, revoked_at: null })
        .execute();
    },

    async find(id) {
      const row = await database.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toKey(row);
    },

    async list() {
      return (await database.selectFrom("api_keys").selectAll().orderBy("created_at").execute()).map(toKey);
    },

    async revoke(id, at) {
      const { numUpdatedRows } = await database
        .updateTable("api_keys")
        .set({ revoked_at: at })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
  };
}
