import { createHash } from "node:crypto";
import { getBytes, hexlify, Transaction } from "ethers";
import type { Address, ContractCall } from "../chain/transaction.ts";
import type { IntentStore } from "../chain/transactions/types.ts";
import type { Database } from "../journal/engine/database.ts";
import { appendEntry } from "../journal/entries/entry-log.ts";
import type { EntryVerifier } from "../journal/entries/verified-entries.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { keyReused, LIFETIME_MILLISECONDS } from "../journal/keyed-calls.ts";
import { equalBytes } from "../kit/bytes.ts";

/** A record whose call is in the journal. */
export interface BegunStore {
  /** Its entry. */
  readonly sequence: number;
  readonly rowId: bigint;
  /** Unix milliseconds; part of the row. */
  readonly acceptedAt: number;
  /** `undefined` when the transaction with this call is not in the database any more. */
  readonly transactionId: number | undefined;
}

/** What is known about an idempotency key. */
export interface KnownKey {
  /** The newest entry with it; 0 without one. */
  readonly sequence: number;
  /** The call that is to be repeated: the key counts for a day. */
  readonly begun: BegunStore | undefined;
}

/** A record to store. */
export interface NewStore {
  readonly account: Address;
  readonly rowId: bigint;
  /** SHA-256 of the request. */
  readonly request: Uint8Array;
  /** SHA-256 of the caller and its idempotency key; `undefined` without one. */
  readonly key: Uint8Array | undefined;
  /** The newest entry with the key that the caller knows of; 0 without one. */
  readonly known: number;
  /** Unix milliseconds. */
  readonly acceptedAt: number;
}

/** Thrown when the same call, made at the same time, was begun before. */
export class CallOvertaken extends Error {}

/** The entries of stored records: what a relayer has begun, and by which idempotency key. */
export interface StoreEntries {
  /**
   * Inserts the call that stores a record, and its entry; inside a write transaction.
   * @throws CallOvertaken
   */
  begin(store: NewStore, call: ContractCall): Promise<BegunStore & { readonly transactionId: number }>;
  /**
   * Finds the newest call with an idempotency key.
   * @param key SHA-256 of the caller and the key
   * @param request SHA-256 of the request
   * @param atLeast An entry with the key that the caller knows of, whatever the tables have
   * @param now Unix milliseconds
   * @throws SealbookError `key_reused` when the key was used for another call; `journal_damaged`
   */
  find(key: Uint8Array, request: Uint8Array, atLeast: number | undefined, now: number): Promise<KnownKey>;
  /** Returns the row id of the newest record; 0 before the first one. Throws as {@link find} does. */
  newestRowId(): Promise<bigint>;
}

/** @param verifier Reads the entries over the same database: their table only finds them */
export function storeEntries(
  database: Database,
  key: JournalKey,
  verifier: EntryVerifier,
  intents: IntentStore,
): StoreEntries {
  const newestWith = (id: Uint8Array) =>
    database
      .selectFrom("stores")
      .select(["sequence", "transaction_id"])
      .where("idempotency_key", "=", id)
      .orderBy("sequence", "desc")
      .limit(1)
      .executeTakeFirst();
  const read = async (sequence: number) => {
    const reads = verifier.begin();
    const entry = await reads.entry(sequence);
    return entry.kind === "store" ? entry : reads.damaged(`entry ${sequence} of the journal stores no record`);
  };
  /** Returns the id of a transaction if it has this call, queued or signed. */
  const withCall = async (id: number | null | undefined, call: Uint8Array): Promise<number | undefined> => {
    if (id === null || id === undefined) return undefined;
    const columns = ["data", "raw"] as const;
    const row = await database.selectFrom("transactions").select(columns).where("id", "=", id).executeTakeFirst();
    const data = row?.data ?? dataOf(row?.raw);
    return data !== undefined && equalBytes(sha256(data), call) ? id : undefined;
  };
  return {
    async begin({ account, rowId, request, key: idempotencyKey, known, acceptedAt }, call) {
      const newest = idempotencyKey && (await newestWith(idempotencyKey));
      if (newest !== undefined && newest.sequence > known) throw new CallOvertaken();
      const transactionId = await intents.insert(call);
      const { sequence } = await appendEntry(database, key, (next) => ({
        ...{ kind: "store" as const, sequence: next, account, row_id: rowId.toString(), call: sha256(call.data) },
        ...{ idempotency_key: idempotencyKey ?? null, request, accepted_at: acceptedAt },
      }));
      const transaction = { transaction_id: transactionId };
      await database.updateTable("stores").set(transaction).where("sequence", "=", sequence).execute();
      return { sequence, rowId, acceptedAt, transactionId };
    },

    async find(id, request, atLeast = 0, now) {
      const found = await newestWith(id);
      const sequence = Math.max(found?.sequence ?? 0, atLeast);
      if (sequence === 0) return { sequence, begun: undefined };
      const entry = await read(sequence);
      if (!equalBytes(entry.idempotency_key, id))
        return verifier.begin().damaged(`entry ${sequence} of the journal has another idempotency key`);
      const { accepted_at: acceptedAt, row_id: rowId } = entry;
      if (acceptedAt <= now - LIFETIME_MILLISECONDS) return { sequence, begun: undefined };
      if (!equalBytes(entry.request, request)) throw keyReused();
      const transactionId = await withCall(found?.transaction_id, entry.call);
      return { sequence, begun: { sequence, rowId: BigInt(rowId), acceptedAt, transactionId } };
    },

    async newestRowId() {
      const newest = await database
        .selectFrom("stores")
        .select((e) => e.fn.max<number | null>("sequence").as("sequence"))
        .executeTakeFirst();
      return newest?.sequence ? BigInt((await read(newest.sequence)).row_id) : 0n;
    },
  };
}

/** Returns the data of a signed transaction; `undefined` when it is none. */
function dataOf(raw: Uint8Array | null | undefined): Uint8Array | undefined {
  if (raw === null || raw === undefined) return undefined;
  try {
    return getBytes(Transaction.from(hexlify(raw)).data);
  } catch {
    return undefined;
  }
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}
