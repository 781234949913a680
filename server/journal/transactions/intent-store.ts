import type { IntentStore } from "../../chain/transactions/types.ts";
import type { ContractAddresses } from "../../chain/transaction.ts";
import type { Database } from "../engine/database.ts";

export function intentStore(database: Database, addresses: ContractAddresses): IntentStore {
  return {
    async insert(call) {
      const { id } = await database
        .insertInto("transactions")
        .values({
          purpose: call.purpose,
          to_address: addresses[call.contract],
          data: call.data,
          state: "queued",
          created_at: Date.now(),
        })
        .returning("id")
        .executeTakeFirstOrThrow();
      return id;
    },
  };
}
