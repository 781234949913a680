import { hash as digest } from "node:crypto";
import { yieldToEventLoop } from "../kit/event-loop.ts";
import { sql } from "kysely";
import { digestOf, DocumentDigests, groupsOf, isGroup } from "./document-digests.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { FoundVerification, RecordedVerification, RecoveryVerification } from "./verification.ts";
import type { Database } from "../journal/engine/database.ts";
import { appendEntry, inTransaction } from "../journal/entries/entry-log.ts";
import { listOf } from "../journal/engine/lists.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import { SealbookError } from "../errors.ts";
import { equalBytes, hex } from "../kit/bytes.ts";

/** Length of a document's truncated SHA-256, long enough to exclude collisions. */
const DOCUMENT_LENGTH = 16;
/** Maximum number of rows deleted per transaction, to bound the wait of other writers. */
const FORGOTTEN_AT_ONCE = 5_000;

const READ_AT_ONCE = 5_000;
/** Groups of documents that are read at a time: other requests are served in between. */
const GROUPS_AT_ONCE = 50;
const NOT_RETAINED =
  "the documents of this verification are not in this database: they were deleted after 90 days or " +
  "for newer ones, or the database was restored from a replica, which has results only; compare the documents again";

/** A comparison that begins. */
interface Begun {
  readonly id: string;
  readonly caller: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly quota: number;
}

/** Stores comparisons with their documents. */
export type VerificationStore = ReturnType<typeof verificationStore>;

export function verificationStore(database: Database, key: JournalKey | undefined) {
  /** Computes the digests over the documents of a comparison. */
  const documentDigests = async (id: string, count: number): Promise<Uint8Array> => {
    const digests = new DocumentDigests(count);
    for (let last = new Uint8Array(0); ;) {
      const rows = await database
        .selectFrom("recovery_documents")
        .select("document")
        .where("verification_id", "=", id)
        .where("document", ">", last)
        .orderBy("document")
        .limit(READ_AT_ONCE)
        .execute();
      for (const { document } of rows) digests.add(document);
      const newest = rows.at(-1)?.document;
      if (newest === undefined || rows.length < READ_AT_ONCE) return digests.finish();
      last = Uint8Array.from(newest);
    }
  };

  const finished = () =>
    database.selectFrom("recovery_verifications").select(["id", "sequence"]).where("sequence", "is not", null);

  const deleteDocuments = async (id: string): Promise<void> => {
    const documents = database
      .selectFrom("recovery_documents")
      .select("document")
      .where("verification_id", "=", id)
      .limit(FORGOTTEN_AT_ONCE);
    for (;;) {
      const deletion = database
        .deleteFrom("recovery_documents")
        .where("verification_id", "=", id)
        .where("document", "in", documents);
      const { numDeletedRows } = await deletion.executeTakeFirstOrThrow();
      if (numDeletedRows < FORGOTTEN_AT_ONCE) break;
    }
  };

  return {
    /** Stores that a comparison contains documents, and counts them. */
    async addRestored(verificationId: string, documentIds: readonly string[]): Promise<void> {
      const documents = [...new Set(documentIds)].map(documentBytes).sort(Buffer.compare);
      // One commit for all rows, in the order of the index.
      await inTransaction(database, async (transaction) => {
        await transaction
          .updateTable("recovery_verifications")
          .set((e) => ({ quota: e("quota", "+", documentIds.length) }))
          .where("id", "=", verificationId)
          .execute();
        await sql`
          insert into recovery_documents (verification_id, document)
          select ${verificationId}, value from (${listOf(transaction, documents)}) as list where true
          on conflict do nothing`.execute(transaction);
      });
    },

    /** Returns those of some documents that a comparison contains. */
    async restored(
      { id, documents: expected }: RecordedVerification,
      documentIds: readonly string[],
      checked: VerifiedEntries,
    ): Promise<ReadonlySet<string>> {
      const row = await database
        .selectFrom("recovery_verifications")
        .select("document_digests")
        .where("id", "=", id)
        .executeTakeFirst();
      const digests = row?.document_digests;
      if (row !== undefined && row.document_digests === null) throw new SealbookError("conflict", NOT_RETAINED);
      if (digests == null || !equalBytes(digestOf(digests), expected))
        return checked.damaged(`the documents of verification ${id} are not those of its entry`);
      const wanted = new Map(documentIds.map((documentId) => [documentId, documentBytes(documentId)]));
      const found = new Set<string>();
      for (const [index, { number, from, to }] of groupsOf([...wanted.values()], digests).entries()) {
        if (index % GROUPS_AT_ONCE === 0) await yieldToEventLoop();
        const rows = await database
          .selectFrom("recovery_documents")
          .select("document")
          .where("verification_id", "=", id)
          .where("document", ">=", from)
          .$if(to !== undefined, (query) => query.where("document", "<", to ?? from))
          .orderBy("document")
          .execute();
        const documents = rows.map(({ document }) => document);
        if (!isGroup(number, documents, digests))
          return checked.damaged(`the documents of verification ${id} are not those that were compared`);
        for (const document of documents) found.add(hex(document));
      }
      return new Set([...wanted].flatMap(([documentId, bytes]) => (found.has(hex(bytes)) ? [documentId] : [])));
    },

    /** @param verification.quota Documents that it counts as from the start */
    async begin({ id, caller, startedAt, quota }: Begun): Promise<void> {
      await database
        .insertInto("recovery_verifications")
        .values({ id, caller, started_at: startedAt, quota })
        .execute();
    },

    /** Appends the result to the journal. */
    async finish(verification: RecoveryVerification, signed: string | undefined): Promise<RecordedVerification> {
      const { id, asOf, newestEntry, finishedAt, totals, rowsRoot } = verification;
      const digests = await documentDigests(id, totals.documents);
      const documents = digestOf(digests);
      const { match, mismatch, unrecorded, pending } = totals;
      await inTransaction(database, async (transaction) => {
        await appendEntry(transaction, key, (sequence) => ({
          kind: "verification" as const,
          sequence,
          id,
          as_of: asOf ?? null,
          newest_entry: newestEntry,
          finished_at: finishedAt,
          match,
          mismatch,
          unrecorded,
          pending,
          rows_root: rowsRoot,
          documents,
          signed: signed ?? null,
        }));
        await transaction
          .updateTable("recovery_verifications")
          .set({ document_digests: digests })
          .where("id", "=", id)
          .execute();
      });
      return { ...verification, documents, signed };
    },

    /** Finds a finished comparison. */
    async find(id: string): Promise<FoundVerification | undefined> {
      return toFound(await finished().where("id", "=", id).executeTakeFirst());
    },

    /** Finds the newest comparison of a caller that still has its documents. */
    async newest(caller: string): Promise<FoundVerification | undefined> {
      const retained = finished().where("caller", "=", caller).where("quota", ">", 0);
      return toFound(await retained.orderBy("sequence", "desc").limit(1).executeTakeFirst());
    },

    /** Returns how many documents each caller's comparisons count as. */
    async quotas(): Promise<readonly { readonly caller: string; readonly quota: number }[]> {
      const rows = await database
        .selectFrom("recovery_verifications")
        .select(["caller", (e) => e.fn.sum<number | string>("quota").as("quota")])
        .where("quota", ">", 0)
        .groupBy("caller")
        .execute();
      return rows.map(({ caller, quota }) => ({ caller: caller ?? "", quota: Number(quota) }));
    },

    /** Returns the oldest finished comparison of a caller that has its documents. */
    async oldest(caller: string): Promise<string | undefined> {
      const retained = finished().where("caller", "=", caller).where("quota", ">", 0);
      return (await retained.orderBy("sequence").limit(1).executeTakeFirst())?.id;
    },

    /** Returns finished comparisons that began before a time (Unix milliseconds) and have their documents. */
    async finishedBefore(startedBefore: number): Promise<string[]> {
      const retained = finished().where("quota", ">", 0).where("started_at", "<", startedBefore);
      return (await retained.execute()).map(({ id }) => id);
    },

    /** Deletes the documents of a finished comparison; its result remains. */
    async release(id: string): Promise<void> {
      // First what makes the documents usable: an interruption leaves them to the next run.
      await database
        .updateTable("recovery_verifications")
        .set({ document_digests: null })
        .where("id", "=", id)
        .execute();
      await deleteDocuments(id);
      await database.updateTable("recovery_verifications").set({ quota: 0 }).where("id", "=", id).execute();
    },

    /** Deletes an unfinished comparison. */
    async forget(id: string): Promise<void> {
      await deleteDocuments(id);
      await database.deleteFrom("recovery_verifications").where("id", "=", id).execute();
    },

    /** Returns comparisons that began before a time (Unix milliseconds) and are unfinished. */
    async unfinished(startedBefore: number): Promise<string[]> {
      const rows = await database
        .selectFrom("recovery_verifications")
        .select("id")
        .where("sequence", "is", null)
        .where("started_at", "<", startedBefore)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

function toFound(row: { id: string; sequence: number | null } | undefined): FoundVerification | undefined {
  return row === undefined || row.sequence === null ? undefined : { id: row.id, sequence: row.sequence };
}

function documentBytes(documentId: string): Uint8Array {
  return digest("sha256", documentId, "buffer").subarray(0, DOCUMENT_LENGTH);
}
