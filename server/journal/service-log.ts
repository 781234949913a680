import type { ServiceLogStore } from "../domain/ports.ts";
import type { Database } from "./database.ts";

export function serviceLogStore(database: Database): ServiceLogStore {
  return {
    async append(line) {
      await database.insertInto("service_log").values(line).execute();
    },

    async newest(account, limit) {
      return database
        .selectFrom("service_log")
        .select(["time", "level", "account", "message"])
        .where("account", "=", account)
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
  };
}
