import type { Database } from "../journal/engine/database.ts";
import { appendEntry, inTransaction } from "../journal/entries/entry-log.ts";
import { EntryVerifier } from "../journal/entries/verified-entries.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { hex } from "../kit/bytes.ts";

/** Maximum number of keys that are read: a thousand rotations. */
const MAX_KEYS = 1_000;

/** A key of the issuer in the journal. */
export interface JournaledKey {
  readonly publicKey: Uint8Array;
  /** The encrypted private key; `undefined` when no password encrypted it. */
  readonly keystore: string | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Creates the store of a database. */
export function issuerKeyStore(database: Database, journalKey: JournalKey | undefined) {
  return {
    /**
     * Returns each key once, the newest first.
     * @throws SealbookError `journal_damaged` when the entry of one was changed, or there is none
     */
    async list(): Promise<readonly JournaledKey[]> {
      const rows = await database
        .selectFrom("issuer_keys")
        .select("sequence")
        .orderBy("sequence", "desc")
        .limit(MAX_KEYS)
        .execute();
      const reads = new EntryVerifier({ database, key: journalKey }).begin();
      const newest = new Map<string, JournaledKey>();
      for (const entry of await reads.entries(rows.map(({ sequence }) => sequence))) {
        if (entry.kind !== "issuer_key")
          return reads.damaged(`entry ${entry.sequence} of the journal is no key of the issuer`);
        const { public_key: publicKey, keystore, created_at: createdAt } = entry;
        const id = hex(publicKey);
        if (!newest.has(id)) newest.set(id, { publicKey, keystore: keystore ?? undefined, createdAt });
      }
      return [...newest.values()].sort((a, b) => b.createdAt - a.createdAt);
    },

    /** Appends a key, unless the journal has it in this form. */
    add: ({ publicKey, createdAt, ...key }: JournaledKey): Promise<void> =>
      inTransaction(database, async (transaction) => {
        const keystore = key.keystore ?? null;
        const known = await transaction
          .selectFrom("issuer_keys")
          .select("keystore")
          .where("public_key", "=", publicKey)
          .execute();
        if (known.some((row) => row.keystore === keystore)) return;
        await appendEntry(transaction, journalKey, (sequence) => ({
          kind: "issuer_key" as const,
          sequence,
          public_key: publicKey,
          keystore,
          created_at: createdAt,
        }));
      }),
  };
}

/** The issuer's keys in the journal. */
export type IssuerKeyStore = ReturnType<typeof issuerKeyStore>;
