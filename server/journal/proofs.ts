import { type CompiledQuery, type ExpressionBuilder, type Insertable, sql } from "kysely";
import type { PlacedProof, ProofMetadata, StoredProof } from "../domain/proofs/proof.ts";
import type { ProofStore } from "../domain/proofs/stores.ts";
import { OUTCOME_COLUMNS, toAnchorOutcome, UNDER_WAY } from "./anchors.ts";
import type { Database } from "./database.ts";
import type { ProofCount } from "./proof-count.ts";
import type { ProofsTable, Schema } from "./schema.ts";

/** Bytes of a hash that are indexed: as in the migration, word for word. */
const RECORD_HASH_PREFIX = sql<Uint8Array>`substr(proofs.record_hash, 1, 8)`;
const HASH_PREFIX = sql<Uint8Array>`substr(proofs.hash, 1, 8)`;
const PREFIX_LENGTH = 8;
/** Rows or values of one statement: a power of two, so that there are few different statements to prepare. */
const MOST_AT_ONCE = 128;

function select(database: Database) {
  return database
    .selectFrom("proofs")
    .innerJoin("anchors", "anchors.id", "proofs.anchor_id")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "proofs.document_id",
      "proofs.hash",
      "proofs.record_hash",
      "proofs.timestamp",
      "proofs.type",
      "proofs.source",
      "proofs.metadata",
      "proofs.accepted_at",
      "proofs.anchor_id",
      "proofs.leaf_index",
      "anchors.hash as anchor_hash",
      "anchors.size",
      ...OUTCOME_COLUMNS,
    ]);
}

type ProofRow = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toProof(row: ProofRow): StoredProof {
  return {
    documentId: row.document_id,
    hash: row.hash,
    recordHash: row.record_hash,
    metadata: toMetadata(row),
    acceptedAt: row.accepted_at,
    anchorId: row.anchor_id,
    leafIndex: row.leaf_index,
    content: row.anchor_hash === null ? undefined : { hash: row.anchor_hash, size: row.size },
    outcome: toAnchorOutcome(row),
  };
}

function toMetadata(row: ProofRow): ProofMetadata {
  const rest: Record<string, unknown> = row.metadata === null ? {} : JSON.parse(row.metadata);
  return {
    ...(row.type === null ? {} : { type: row.type }),
    timestamp: row.timestamp,
    ...(row.source === null ? {} : { source: row.source }),
    ...rest,
  };
}

function toRow(proof: PlacedProof): Insertable<ProofsTable> {
  const { type, timestamp, source, ...rest } = proof.metadata;
  return {
    document_id: proof.documentId,
    hash: proof.hash,
    record_hash: proof.recordHash,
    timestamp,
    type: type ?? null,
    source: source ?? null,
    metadata: isEmpty(rest) ? null : JSON.stringify(rest),
    accepted_at: proof.acceptedAt,
    anchor_id: proof.anchorId,
    leaf_index: proof.leafIndex,
  };
}

/** Statements of the hot path by how many rows or values they take: to compile one takes longer than to run it. */
export class ProofStatements {
  readonly #inserts = new Map<number, CompiledQuery>();
  readonly #lookups = new Map<number, CompiledQuery<ProofRow>>();

  insert(database: Database, rows: readonly Insertable<ProofsTable>[]): CompiledQuery {
    const known = this.#inserts.get(rows.length);
    const query = known ?? database.insertInto("proofs").values(rows).compile();
    if (known === undefined) this.#inserts.set(rows.length, query);
    // In the order of the first row's columns, as the compiler puts them.
    return { ...query, parameters: rows.flatMap((row) => Object.values(row)) };
  }

  lookup(database: Database, prefixes: readonly Uint8Array[]): CompiledQuery<ProofRow> {
    const known = this.#lookups.get(prefixes.length);
    const query =
      known ??
      select(database).where(RECORD_HASH_PREFIX, "in", prefixes).orderBy("proofs.sequence").compile();
    if (known === undefined) this.#lookups.set(prefixes.length, query);
    return { ...query, parameters: prefixes };
  }
}

export function proofStore(database: Database, statements: ProofStatements, count: ProofCount): ProofStore {
  const pendingPlaces = (e: ExpressionBuilder<Schema, "anchors">) =>
    e.fn.coalesce(e.fn.sum<number>(sql<number>`case anchors.size when 0 then 1 else anchors.size end`), sql<number>`0`).as("places");

  return {
    async insert(proofs) {
      const rows = proofs.map(toRow);
      for (let first = 0, count = 0; first < rows.length; first += count) {
        count = largestPowerOfTwo(Math.min(rows.length - first, MOST_AT_ONCE));
        await database.executeQuery(statements.insert(database, rows.slice(first, first + count)));
      }
    },

    async byRecordHashes(recordHashes) {
      const found: StoredProof[] = [];
      for (let first = 0; first < recordHashes.length; first += MOST_AT_ONCE) {
        const wanted = recordHashes.slice(first, first + MOST_AT_ONCE);
        const { rows } = await database.executeQuery(statements.lookup(database, padded(wanted.map(prefix))));
        if (rows.length === 0) continue;
        const whole = new Set(wanted.map(hex));
        found.push(...rows.filter((row) => whole.has(hex(row.record_hash))).map(toProof));
      }
      return found;
    },

    async byDocument(documentId) {
      const rows = await select(database)
        .where("proofs.document_id", "=", documentId)
        .orderBy("proofs.sequence", "desc")
        .execute();
      return rows.map(toProof);
    },

    async byHash(hash) {
      const rows = await select(database)
        .where(HASH_PREFIX, "=", prefix(hash))
        .where("proofs.hash", "=", hash)
        .orderBy("proofs.sequence")
        .execute();
      return rows.map(toProof);
    },

    async byAnchor(anchorId, fromLeaf, limit) {
      const rows = await select(database)
        .where("proofs.anchor_id", "=", anchorId)
        .where("proofs.leaf_index", ">=", fromLeaf)
        .orderBy("proofs.leaf_index")
        .orderBy("proofs.sequence")
        .limit(limit)
        .execute();
      return rows.map(toProof);
    },

    async counts() {
      const { open } = await database
        .selectFrom("anchors")
        .innerJoin("proofs", "proofs.anchor_id", "anchors.id")
        .select((e) => e.fn.countAll<number>().as("open"))
        .where("anchors.transaction_id", "is", null)
        .executeTakeFirstOrThrow();
      const closed = await Promise.all(
        UNDER_WAY.map((state) =>
          database
            .selectFrom("transactions")
            .innerJoin("anchors", "anchors.transaction_id", "transactions.id")
            .select(pendingPlaces)
            .where(state)
            .executeTakeFirstOrThrow(),
        ),
      );
      return { records: await count.ask(database), pending: closed.reduce((sum, { places }) => sum + places, open) };
    },
  };
}

function prefix(hash: Uint8Array): Uint8Array {
  return hash.subarray(0, PREFIX_LENGTH);
}

/** The last value repeated until their number is a power of two. */
function padded(values: readonly Uint8Array[]): Uint8Array[] {
  const last = values.at(-1);
  if (last === undefined) return [];
  const floor = largestPowerOfTwo(values.length);
  const length = floor === values.length ? floor : 2 * floor;
  return [...values, ...Array.from({ length: length - values.length }, () => last)];
}

function largestPowerOfTwo(upTo: number): number {
  return 2 ** Math.floor(Math.log2(upTo));
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
