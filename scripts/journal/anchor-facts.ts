import type { Database } from "../../server/journal/engine/database.ts";
import { isAmong } from "../../server/journal/engine/lists.ts";
import type { ConfirmationEntry } from "../../server/journal/entries/codec.ts";
import { equalBytes } from "../../server/kit/bytes.ts";
import type { AnchorFault, ConfirmationFault, Finding } from "./finding.ts";

/** A stored anchor with its transaction and confirmation, as input of the comparison. */
export interface AnchorFacts {
  readonly id: number;
  /** The entry where reading its proofs begins. */
  readonly first: number;
  /** `null` while it is open. */
  readonly hash: Uint8Array | null;
  readonly size: number;
  /** Entry whose digest is anchored. */
  readonly checkpoint: number | null;
  readonly transactionId: number | null;
  /** `undefined` when the transaction does not exist. */
  readonly transaction: TransactionFacts | undefined;
  /** Entry referenced as the confirmation. */
  readonly confirmation: number | null;
  /** Content that the entry confirms; `undefined` when the entry is not a confirmation. */
  readonly confirms: { readonly anchor: number; readonly blockHash: Uint8Array } | undefined;
  /** Newest entry that confirms the anchor. */
  readonly newestConfirmation: number | null;
}

/** The fields of a relayer transaction that concern an anchor. */
interface TransactionFacts {
  readonly isConfirmed: boolean;
  readonly hash: Uint8Array | null;
  readonly blockNumber: number | null;
  readonly blockHash: Uint8Array | null;
}

/** Reads the facts of anchors that are compared, by their ids. */
export async function readAnchors(database: Database, ids: Iterable<number>): Promise<Map<number, AnchorFacts>> {
  const rows = await select(database)
    .where(isAmong(database, "anchors.id", [...new Set(ids)]))
    .execute();
  return new Map(rows.map((row) => [row.id, toFacts(row)]));
}

function select(database: Database) {
  return database
    .selectFrom("anchors")
    .leftJoin("transactions", "transactions.id", "anchors.transaction_id")
    .leftJoin("confirmations", "confirmations.sequence", "anchors.confirmation")
    .selectAll("anchors")
    .select([
      "transactions.id as known_transaction",
      "transactions.state",
      "transactions.hash as transaction_hash",
      "transactions.block_number",
      "transactions.block_hash",
      "confirmations.anchor_id as confirms",
      "confirmations.block_hash as confirmed_in",
    ])
    .select((e) =>
      e
        .selectFrom("confirmations as every")
        .select((every) => every.fn.max<number | null>("every.sequence").as("newest"))
        .whereRef("every.anchor_id", "=", "anchors.id")
        .as("newest_confirmation"),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof select>["executeTakeFirstOrThrow"]>>;

function toFacts(row: Row): AnchorFacts {
  return {
    id: row.id,
    first: row.first_sequence,
    hash: row.hash,
    size: row.size,
    checkpoint: row.checkpoint,
    transactionId: row.transaction_id,
    transaction:
      row.known_transaction === null
        ? undefined
        : {
            isConfirmed: row.state === "confirmed",
            hash: row.transaction_hash,
            blockNumber: row.block_number,
            blockHash: row.block_hash,
          },
    confirmation: row.confirmation,
    confirms:
      row.confirms === null || row.confirmed_in === null
        ? undefined
        : { anchor: row.confirms, blockHash: row.confirmed_in },
    newestConfirmation: row.newest_confirmation,
  };
}

/** Compares the contents of a confirmation with its anchor. */
export function checkConfirmation(confirmation: ConfirmationEntry, anchor: AnchorFacts | undefined): Finding[] {
  const { sequence } = confirmation;
  if (anchor === undefined)
    return [{ kind: "confirmation_wrong", sequence, anchor: confirmation.anchor, fault: "no_anchor" }];
  const faults: ConfirmationFault[] = [];
  if (!equalBytes(confirmation.hash, anchor.hash)) faults.push("other_hash");
  if (confirmation.size !== anchor.size) faults.push("other_size");
  if (confirmation.checkpoint !== anchor.checkpoint) faults.push("other_checkpoint");
  const findings: Finding[] = faults.map((fault) => ({
    kind: "confirmation_wrong",
    sequence,
    anchor: anchor.id,
    fault,
  }));
  if (isCurrent(confirmation, anchor) && !isAsSent(confirmation, anchor)) {
    findings.push({ kind: "anchor_wrong", anchor: anchor.id, fault: "confirmed_unsent" });
  }
  return findings;
}

/** Returns whether an entry is the current confirmation of its anchor; an older one may be superseded. */
export function isCurrent({ sequence }: ConfirmationEntry, { confirmation }: AnchorFacts): boolean {
  return sequence === confirmation;
}

/** Returns the inconsistencies between an anchor, its transaction and its confirmation. */
export function outcomeFaults(anchor: AnchorFacts): AnchorFault[] {
  const { id, hash, transactionId, transaction, confirmation, confirms, newestConfirmation: newest } = anchor;
  const faults: AnchorFault[] = [];
  if ((hash === null) !== (transactionId === null)) faults.push("half_closed");
  if (transactionId !== null && transaction === undefined) faults.push("no_transaction");
  if (confirmation !== null && (confirms === undefined || confirms.anchor !== id)) faults.push("confirmed_by_nothing");
  // A transaction can return to its former block after a rollback or reorganization; then an older entry is current
  // again.
  else if (
    confirmation !== null &&
    newest !== null &&
    newest > confirmation &&
    !equalBytes(transaction?.blockHash, confirms?.blockHash)
  ) {
    faults.push("confirmed_by_older");
  }
  if (confirmation === null && transaction?.isConfirmed === true) faults.push("confirmed_unnoted");
  return faults;
}

/** Returns whether the stored transaction of the anchor is the one in the confirmation. */
function isAsSent(
  { tx_hash: transactionHash, block_number: blockNumber, block_hash: blockHash }: ConfirmationEntry,
  { transaction }: AnchorFacts,
): boolean {
  if (transaction === undefined) return true;
  const { isConfirmed, hash, blockNumber: number, blockHash: inBlock } = transaction;
  return isConfirmed && equalBytes(hash, transactionHash) && number === blockNumber && equalBytes(inBlock, blockHash);
}
