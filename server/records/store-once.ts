import type { Atomic } from "../journal/engine/database.ts";
import { CallOvertaken, keyedCall, type KeyedCallStore } from "../journal/keyed-calls.ts";
import type { Clock } from "../kit/time.ts";
import type { RecordStores } from "./record.ts";
import type { NewRecord, RecordService, Signer, StoredRecord } from "./service.ts";

/** Stores that share a commit with the intent of a record. */
export interface KeyedRecordStores extends RecordStores {
  readonly keyedCalls: KeyedCallStore;
}

export interface KeyedStoreDeps {
  readonly records: Pick<RecordService<KeyedRecordStores>, "store" | "search">;
  readonly journal: Atomic<Pick<KeyedRecordStores, "keyedCalls">>;
  readonly clock: Clock;
}

/**
 * Stores a record; with an idempotency key only once, however often and wherever the call is made. A repeated call
 * continues what the first one began, and has the same response.
 * @throws SealbookError `key_reused`, and as {@link RecordService.store}
 */
export async function storeOnce(
  { records, journal, clock }: KeyedStoreDeps,
  signer: Signer,
  record: NewRecord,
  key: string | undefined,
): Promise<StoredRecord> {
  if (key === undefined) return records.store(signer, record);
  const call = keyedCall(`account ${signer.account.address}`, key, ["store", record]);
  for (;;) {
    const { intent: begun } = await journal.atomically(({ keyedCalls }) => keyedCalls.begin(call, clock()));
    let known = begun;
    try {
      return await records.store(signer, record, {
        resume: begun,
        onIntent: async ({ keyedCalls }, intent) => {
          await keyedCalls.setIntent(call, known, intent);
          known = intent;
        },
      });
    } catch (error) {
      if (!(error instanceof CallOvertaken)) throw error;
    }
  }
}
