import { EVERYBODY, type ServiceLogStore } from "./service-log.ts";
import type { Database } from "../journal/engine/database.ts";

/** Lines kept for each account, and for all of them. */
const KEPT_LINES = 100;
const KEPT_LINES_FOR_EVERYBODY = 1_000;

export function serviceLogStore(database: Database): ServiceLogStore {
  return {
    async append(line) {
      await database.insertInto("service_log").values(line).execute();
      await database
        .deleteFrom("service_log")
        .where("account", "=", line.account)
        .where("id", "<=", (e) =>
          e
            .selectFrom("service_log")
            .select("id")
            .where("account", "=", line.account)
            .orderBy("id", "desc")
            .limit(1)
            .offset(line.account === EVERYBODY ? KEPT_LINES_FOR_EVERYBODY : KEPT_LINES),
        )
        .execute();
    },

    async newest(account, limit) {
      return database
        .selectFrom("service_log")
        .select(["time", "level", "account", "message"])
        .where("account", "in", [account, EVERYBODY])
        .orderBy("id", "desc")
        .limit(limit)
        .execute();
    },
  };
}
