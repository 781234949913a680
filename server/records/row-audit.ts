import type { Row } from "./row-data.ts";
import type { DecodedTransaction } from "./responses.ts";
import { NodeTransaction } from "../chain/node/node-block.ts";
import { lookUp } from "../chain/rpc/query.ts";
import { LaggingError, type Rpc, unavailable } from "../chain/rpc/rpc.ts";
import type { Address } from "../chain/transaction.ts";
import { prefixedHex } from "../kit/bytes.ts";
import {
  recoverSigner,
  recoverUnboundSigner,
  rowDigest,
  signingContractOf,
  type TableContract,
  type UnsignedRow,
} from "./row-signature.ts";
import type { Database } from "../journal/engine/database.ts";
import type { JournalKey } from "../journal/integrity/journal-key.ts";
import type { RecordMarks } from "./record.ts";
import { assertRecordOf } from "./record-code.ts";

/**
 * The reach of a signature. `place`: it counts only for the chain, contract, table and row id of the row. `none`: it is
 * over the row data alone, as in rows of other systems, and counts anywhere. `contract`: a contract such
 * as a multisig account checks it (ERC-1271).
 */
export type SignatureBinding = "place" | "none" | "contract";

/** Checks of a row against its own call data. */
export interface RowChecks {
  /** Checksummed address; `undefined` if no event table would accept the signature. */
  readonly signer: Address | undefined;
  /** `undefined` when the expected account has signed neither the row in its place nor the row data alone. */
  readonly binding: SignatureBinding | undefined;
  /** Whether the signature was checked; only the chain can do that for one of a contract. */
  readonly signatureChecked: boolean;
  /** Whether the signer is the sender named in the row, by a signature that was checked. */
  readonly signedBySender: boolean;
  /** Whether the row id in the row is that of the call. */
  readonly rowIdMatches: boolean;
  /** Whether all checks passed. */
  readonly passed: boolean;
}

/** A decoded row, and the arguments of its call that it is checked against. */
interface CheckedCall {
  readonly row: Pick<Row, "rowId" | "sender">;
  readonly arguments: UnsignedRow & { readonly signature: string };
}

/** What is known about the place of a row. */
interface KnownPlace {
  /** The event tables in which it can stand. */
  readonly contracts: readonly TableContract[];
  /** The signer that the event table logged for it. */
  readonly loggedSigner?: Address | undefined;
}

/** Checks a decoded row. A signature that is bound to a contract which is not given shows as one of another signer. */
export function checkRow({ row, arguments: args }: CheckedCall, { contracts, loggedSigner }: KnownPlace): RowChecks {
  const { signer, binding } = signatureOf(args, contracts, loggedSigner ?? row.sender);
  const signatureChecked = binding !== "contract" || isSame(signer, loggedSigner);
  const signedBySender = signatureChecked && isSame(signer, row.sender);
  const rowIdMatches = row.rowId === args.rowid.toString();
  const passed = signedBySender && rowIdMatches;
  return { signer, binding, signatureChecked, signedBySender, rowIdMatches, passed };
}

/** A signature over other data than assumed recovers an arbitrary address: the expected one tells which it is over. */
function signatureOf(
  args: CheckedCall["arguments"],
  contracts: readonly TableContract[],
  expected: Address,
): Pick<RowChecks, "signer" | "binding"> {
  const contract = signingContractOf(args.signature);
  if (contract !== undefined) return { signer: contract, binding: "contract" };
  for (const each of contracts) {
    const signer = recoverSigner(args, args.signature, each);
    if (isSame(signer, expected)) return { signer, binding: "place" };
  }
  const signer = recoverUnboundSigner(args.rowdata, args.signature);
  return { signer, binding: isSame(signer, expected) ? "none" : undefined };
}

function isSame(a: Address | undefined, b: Address | undefined): boolean {
  return a !== undefined && a.toLowerCase() === b?.toLowerCase();
}

/** A row as a call or an event has it. */
export interface SignedRow {
  readonly tableName: string;
  readonly rowId: bigint;
  /** As stored. */
  readonly rowdata: Uint8Array;
  readonly signature: string;
  /** The transaction with the call, or call data alone: `0x`-prefixed hex. */
  readonly call: { readonly transactionHash: Uint8Array } | { readonly inputdata: string };
}

/** The first write of row data and signature. */
interface OriginalRow {
  readonly tableName: string;
  readonly rowId: bigint;
  readonly transactionHash: Uint8Array;
  readonly blockNumber: number;
}

/** The entry of a signed row in the record index. */
export interface RowVerdict extends RecordMarks {
  /**
   * `original` for the call of the first write; `replay` for the same row data and signature in any other call: in
   * another table, under another row id, by another function, or again in a later transaction.
   */
  readonly verdict: "original" | "replay";
  readonly original: OriginalRow;
}

const CallData = NodeTransaction.pick({ input: true });

/** Returns the row of decoded call data. */
export function signedRow({ tabname, rowid, rowdata, signature }: DecodedTransaction, inputdata: string): SignedRow {
  const bytes = ({ hexdata }: { readonly hexdata: string }): Buffer => Buffer.from(hexdata, "hex");
  return {
    tableName: bytes(tabname).toString(),
    rowId: BigInt(rowid.reference),
    rowdata: bytes(rowdata),
    signature: bytes(signature).toString(),
    call: { inputdata },
  };
}

export interface RowAuditDeps {
  readonly database: Database;
  /** Of the journal. */
  readonly key: JournalKey;
  readonly rpc: Pick<Rpc, "call">;
  /** The table of the index. */
  readonly table: string;
  /** Called when the index has a row that is not as a relayer has written it. */
  readonly onDamage: (message: string) => void;
}

/**
 * The audit of rows over the record index; each costs a look-up, and for call data alone a query to the chain.
 */
export function rowAudit({ rpc, ...index }: RowAuditDeps) {
  // The events, of which the index is made, do not tell the function, nor how the signature was written.
  const wasInputOf = async (transactionHash: Uint8Array, inputdata: string): Promise<boolean> => {
    const hash = prefixedHex(transactionHash);
    const transaction = await lookUp(rpc, CallData, "eth_getTransactionByHash", [hash]);
    if (transaction === undefined) throw unavailable(new LaggingError(`the node does not have transaction ${hash}`));
    return transaction.input === inputdata.toLowerCase();
  };
  return {
    /**
     * @returns `undefined` when the index does not have the row
     * @throws SealbookError `journal_damaged`; `chain_unavailable` for call data alone
     */
    async verdictOf({ tableName, rowId, rowdata, signature, call }: SignedRow): Promise<RowVerdict | undefined> {
      const found = await findOriginal(index, rowDigest(rowdata, signature));
      if (found === undefined) return undefined;
      const { original } = found;
      const isOriginal =
        original.tableName === tableName &&
        original.rowId === rowId &&
        ("transactionHash" in call
          ? Buffer.compare(original.transactionHash, call.transactionHash) === 0
          : await wasInputOf(original.transactionHash, call.inputdata));
      return { ...found, verdict: isOriginal ? "original" : "replay" };
    },
  };
}

async function findOriginal(
  { database, key, table: tableName, onDamage }: Omit<RowAuditDeps, "rpc">,
  digest: Uint8Array,
): Promise<Omit<RowVerdict, "verdict"> | undefined> {
  const record = await database.selectFrom("records").selectAll().where("digest", "=", digest).executeTakeFirst();
  if (record === undefined) return undefined;
  assertRecordOf(key, record, onDamage);
  const { row_id, transaction_hash: transactionHash, block_number: blockNumber, overwritten_by: over } = record;
  return {
    original: { tableName, rowId: BigInt(row_id), transactionHash, blockNumber },
    overwrittenBy: over ?? undefined,
  };
}

/** Finds signed rows in the record index. */
export type RowAudit = ReturnType<typeof rowAudit>;
