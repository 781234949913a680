import type { CommitSigner } from "../../chain/transactions/commit-signer.ts";
import type { IntentStore } from "../../chain/transactions/types.ts";
import type { ContractAddresses, SignedTransaction } from "../../chain/transaction.ts";
import { SealbookError } from "../../errors.ts";
import type { Database } from "../engine/database.ts";
import type { JournalKey } from "../integrity/journal-key.ts";
import { codeOfCall } from "./call-code.ts";

/** @param signer Signs calls at once; inside a write transaction whose end it learns */
export function intentStore(
  database: Database,
  key: JournalKey,
  addresses: ContractAddresses,
  signer?: CommitSigner,
): IntentStore {
  return {
    async insert({ purpose, contract, data }) {
      const to = addresses[contract];
      const call = { purpose, to_address: to, data };
      const { id } = await database
        .insertInto("transactions")
        .values({ ...call, state: "queued", created_at: Date.now() })
        .returning("id")
        .executeTakeFirstOrThrow();
      const code = codeOfCall(key, { id, ...call });
      const signed = signer && (await signer.sign({ id, purpose, to, data }));
      try {
        const { numUpdatedRows } = await database
          .updateTable("transactions")
          .set({ code, ...(signed && { ...sentAs(signed), sender: signer.address }) })
          .where("id", "=", id)
          .executeTakeFirst();
        // A nonce is used only with its bytes on disk.
        if (numUpdatedRows !== 1n)
          throw new SealbookError("internal", `call ${id} is not in the journal as it was written`);
      } catch (error) {
        // Another call may have been put at the nonce: the next ones are accepted all the same.
        if (signer !== undefined && signed !== undefined) signer.next = undefined;
        throw error;
      }
      return id;
    },
  };
}

function sentAs({ nonce, raw, hash }: SignedTransaction) {
  return { state: "sent" as const, nonce, raw, hash };
}
