import { type CompiledQuery, sql } from "kysely";
import { SealbookError } from "../errors.ts";
import type { Database } from "../journal/engine/database.ts";
import type { RecentKeysTable } from "../journal/engine/schema.ts";
import { paddedChunks, StatementCache } from "../journal/engine/statement-cache.ts";
import type { ProofEntry } from "../journal/entries/codec.ts";
import { entryOf } from "../journal/entries/entry-source.ts";
import { RowReader } from "../journal/entries/journal-rows.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import { keysOf } from "../journal/index/proof-key.ts";
import { recordHash } from "../journal/integrity/record-hash.ts";
import { OUTCOME_COLUMNS, toAnchorOutcome } from "./anchor-store.ts";
import { type AcceptedProof, metadataOf, type StoredProof } from "./proof.ts";

/** Selects the anchors over places in batches, with their outcomes. */
function anchorsOver(database: Database, count: number) {
  const places = Array.from({ length: count }, () => sql`(cast(${0} as bigint), cast(${0} as integer))`);
  return database
    .with("wanted(batch, leaf)", () => sql<{ batch: number; leaf: number }>`(values ${sql.join(places)})`)
    .selectFrom("wanted")
    .innerJoin("anchors", (join) =>
      join
        .onRef("anchors.batch_id", "=", "wanted.batch")
        .onRef("anchors.first_leaf", "<=", "wanted.leaf")
        .onRef("anchors.last_leaf", ">=", "wanted.leaf"),
    )
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .leftJoin("contracts", "contracts.id", "confirmations.contract_id")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .select([
      "wanted.batch",
      "wanted.leaf",
      "anchors.id as anchor_id",
      "anchors.first_leaf",
      "anchors.hash as anchor_hash",
      "anchors.size",
      "anchors.confirmation",
      ...OUTCOME_COLUMNS,
    ]);
}

type AnchorRow = Awaited<ReturnType<ReturnType<typeof anchorsOver>["executeTakeFirstOrThrow"]>>;

/** Reads proofs from the rows of the journal, with the outcomes of their anchors. */
export class ProofReader {
  readonly #reader = new RowReader();
  readonly #anchors = new StatementCache<AnchorRow>();

  /**
   * Returns the proofs of some entries, in the order of their numbers.
   * @throws SealbookError `journal_damaged` when an entry is no proof; with `checked` also when one is not under
   * one anchor with an outcome
   */
  async read(database: Database, numbers: readonly number[], checked?: VerifiedEntries): Promise<StoredProof[]> {
    const sorted = [...new Set(numbers)].sort((a, b) => a - b);
    if (sorted.length === 0) return [];
    const entries = await (checked === undefined ? this.#entries(database, sorted) : checked.entries(sorted));
    const proofs = entries.filter((entry) => entry.kind === "proof");
    const other = entries.find((entry) => entry.kind !== "proof");
    if (other !== undefined) checked?.damaged(`entry ${other.sequence} is not a proof, though the index refers to it`);
    return this.withAnchors(database, proofs, checked);
  }

  /** Adds the anchors of proofs and their outcomes; throws as {@link read} does. */
  async withAnchors(
    database: Database,
    proofs: readonly ProofEntry[],
    checked?: VerifiedEntries,
  ): Promise<StoredProof[]> {
    const anchors = await this.#anchorsOf(database, proofs);
    return proofs.flatMap((entry) => {
      const own = anchors.get(placeOf(entry)) ?? [];
      if (checked !== undefined) assertWhole(entry, own, checked);
      return own.map((anchor) => toProof(entry, anchor));
    });
  }

  async #entries(database: Database, sorted: readonly number[]) {
    try {
      const rows = await this.#reader.rowsOf(database, sorted);
      let at = 0;
      return sorted.map((sequence) => {
        while ((rows[at]?.sequence ?? Infinity) < sequence) at += 1;
        const row = rows[at];
        if (row === undefined) throw new RangeError(`entry ${sequence} of the journal is missing`);
        return entryOf(sequence, row.text(sequence));
      });
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      throw new SealbookError("journal_damaged", cause.message, { cause });
    }
  }

  async #anchorsOf(database: Database, proofs: readonly ProofEntry[]): Promise<Map<string, AnchorRow[]>> {
    const places = [...new Map(proofs.map((entry) => [placeOf(entry), [entry.batch, entry.leaf] as const])).values()];
    const found = new Map<string, AnchorRow[]>();
    for (const some of paddedChunks(places)) {
      const distinct = new Set(some).size;
      const compile = (): CompiledQuery<AnchorRow> => anchorsOver(database, distinct).compile();
      const { rows } = await database.executeQuery(this.#anchors.of(distinct, compile, some.slice(0, distinct).flat()));
      for (const row of rows) {
        const place = placeOf(row);
        found.set(place, [...(found.get(place) ?? []), row]);
      }
    }
    return found;
  }
}

/** Checks that a proof is under one anchor, with an outcome. */
function assertWhole({ sequence }: ProofEntry, anchors: readonly AnchorRow[], checked: VerifiedEntries): void {
  const [anchor, second] = anchors;
  if (anchor === undefined || second !== undefined)
    return checked.damaged(`entry ${sequence} is not a proof under one anchor, though the journal refers to it`);
  const { anchor_id: id, confirmation, state, block_number: block, contract } = anchor;
  const isLost = confirmation === null ? state === "confirmed" : block === null || contract === null;
  if (isLost) checked.damaged(`the confirmation of anchor ${id} is missing, or the contract that it names`);
}

function placeOf({ batch, leaf }: Pick<ProofEntry, "batch" | "leaf">): string {
  return `${batch} ${leaf}`;
}

function toProof(entry: ProofEntry, anchor: AnchorRow): StoredProof {
  return {
    sequence: entry.sequence,
    confirmation: anchor.confirmation ?? undefined,
    documentId: entry.documentId,
    hash: entry.hash,
    recordHash: recordHash(entry),
    metadata: metadataOf(entry),
    acceptedAt: entry.acceptedAt,
    anchorId: anchor.anchor_id,
    leafIndex: entry.leaf - anchor.first_leaf,
    content: anchor.anchor_hash === null ? undefined : { hash: anchor.anchor_hash, size: anchor.size },
    outcome: toAnchorOutcome(anchor),
  };
}

/** Returns the proof's own fields of an entry; the caller adds the leaf in the batch. */
export function toEntry(proof: AcceptedProof): Omit<ProofEntry, "sequence" | "batch" | "leaf"> {
  const { type, timestamp, source, ...rest } = proof.metadata;
  return {
    documentId: proof.documentId,
    hash: proof.hash,
    timestamp,
    type: type ?? null,
    source: source ?? null,
    metadata: isEmpty(rest) ? null : JSON.stringify(rest),
    acceptedAt: proof.acceptedAt,
  };
}

/** Returns the keys of proofs, in the order that is fastest for the index. */
export function proofKeys(
  proofs: readonly { sequence: number; documentId: string; hash: Uint8Array; recordHash: Uint8Array }[],
): RecentKeysTable[] {
  return proofs
    .flatMap((proof) => keysOf(proof).map((key) => ({ key, sequence: proof.sequence })))
    .sort((a, b) => a.key - b.key);
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false;
  return true;
}
