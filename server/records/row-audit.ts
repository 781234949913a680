import type { Row } from "./row-data.ts";
import { recoverSigner, rowDigest } from "./row-signature.ts";
import type { Database } from "../journal/engine/database.ts";
import type { RecordMarks } from "./record.ts";
import type { DecodedTransaction } from "./responses.ts";

/** Checks of a row against its own call data. They need neither a server nor the chain. */
export interface RowChecks {
  /** Checksummed address; `undefined` if the event table would not accept the signature. */
  readonly signer: string | undefined;
  /** Whether the signer is the sender named in the row. */
  readonly signedBySender: boolean;
  /** Whether the row id in the row is that of the call. */
  readonly rowIdMatches: boolean;
  /** Whether all checks passed. */
  readonly passed: boolean;
}

/** A decoded row, and the arguments of its call that it is checked against. */
interface CheckedCall {
  readonly row: Pick<Row, "rowId" | "sender">;
  readonly arguments: { readonly rowid: bigint; readonly rowdata: Uint8Array; readonly signature: string };
}

/** Checks a decoded row. */
export function checkRow({ row, arguments: args }: CheckedCall): RowChecks {
  const signer = recoverSigner(args.rowdata, args.signature);
  const signedBySender = signer?.toLowerCase() === row.sender.toLowerCase();
  const rowIdMatches = row.rowId === args.rowid.toString();
  return { signer, signedBySender, rowIdMatches, passed: signedBySender && rowIdMatches };
}

/** A row as a call or an event has it. */
interface SignedRow {
  readonly tableName: string;
  readonly rowId: bigint;
  /** As stored. */
  readonly rowdata: Uint8Array;
  readonly signature: string;
  /** The transaction with the call; `undefined` for call data alone. */
  readonly transactionHash?: Uint8Array;
}

/** The first write of row data and signature. */
interface OriginalRow {
  readonly tableName: string;
  readonly rowId: bigint;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The entry of a signed row in the index of the event tables. */
export interface RowVerdict extends RecordMarks {
  /**
   * `original` for the first write; `replay` for the same row data and signature in another table or under another row
   * id, or written again by a later transaction.
   */
  readonly verdict: "original" | "replay";
  readonly original: OriginalRow;
}

/** Finds signed rows in the record index. */
export interface RowAudit {
  /** @returns `undefined` when the index has neither the row nor a copy of it */
  verdictOf(row: SignedRow): Promise<RowVerdict | undefined>;
}

/** Returns the row of a decoded transaction. */
export function signedRow({ tabname, rowid, rowdata, signature }: DecodedTransaction): SignedRow {
  const bytes = ({ hexdata }: { readonly hexdata: string }): Buffer => Buffer.from(hexdata, "hex");
  return {
    tableName: bytes(tabname).toString(),
    rowId: BigInt(rowid.reference),
    rowdata: bytes(rowdata),
    signature: bytes(signature).toString(),
  };
}

/** The audit of rows over the record index; each costs a look-up. */
export function rowAudit(database: Database): RowAudit {
  return {
    async verdictOf({ tableName, rowId, rowdata, signature, transactionHash }) {
      const found = await findOriginal(database, rowDigest(rowdata, signature));
      if (found === undefined) return undefined;
      const { original } = found;
      const isOriginal =
        original.tableName === tableName &&
        original.rowId === rowId &&
        (transactionHash === undefined || Buffer.compare(original.transactionHash, transactionHash) === 0);
      return { ...found, verdict: isOriginal ? "original" : "replay" };
    },
  };
}

async function findOriginal(database: Database, digest: Uint8Array): Promise<Omit<RowVerdict, "verdict"> | undefined> {
  const record = await database
    .selectFrom("records")
    .innerJoin("indexed_tables", "indexed_tables.id", "records.table_id")
    .select(["row_id", "transaction_hash", "block_number", "overwritten_by", "replays", "replayed_by", "name"])
    .where("digest", "=", digest)
    .executeTakeFirst();
  if (record !== undefined)
    return {
      original: originalRow({ ...record, table_name: record.name }),
      overwrittenBy: record.overwritten_by ?? undefined,
      replays: record.replays,
      replayedBy: record.replayed_by ?? undefined,
    };
  const copy = await database.selectFrom("row_copies").selectAll().where("digest", "=", digest).executeTakeFirst();
  return (
    copy && {
      original: originalRow(copy),
      overwrittenBy: undefined,
      replays: copy.writes - 1,
      replayedBy: undefined,
    }
  );
}

function originalRow(row: {
  table_name: string;
  row_id: string;
  transaction_hash: Uint8Array;
  block_number: number;
}): OriginalRow {
  const { table_name: tableName, row_id, transaction_hash: transactionHash, block_number: blockNumber } = row;
  return { tableName, rowId: BigInt(row_id), transactionHash, blockNumber };
}
