import type { IntentStore } from "../../chain/transactions/types.ts";
import type { ContractAddresses } from "../../chain/transaction.ts";
import type { Database } from "../engine/database.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { codeOfCall } from "./call-code.ts";

export function intentStore(database: Database, key: JournalKey, addresses: ContractAddresses): IntentStore {
  return {
    async insert({ purpose, contract, data }) {
      const call = { purpose, to_address: addresses[contract], data };
      const { id } = await database
        .insertInto("transactions")
        .values({ ...call, state: "queued", created_at: Date.now() })
        .returning("id")
        .executeTakeFirstOrThrow();
      const code = codeOfCall(key, { id, ...call });
      await database.updateTable("transactions").set({ code }).where("id", "=", id).execute();
      return id;
    },
  };
}
