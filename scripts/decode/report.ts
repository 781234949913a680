import { type AuditedCall, verdictOf } from "./audit.ts";

/** Audited call data as JSON. */
export function callReport(call: AuditedCall) {
  const { decoded, checks, contract, transaction, isFromEvent, onChain, warnings, failed, undetermined } = call;
  const { row, arguments: args } = decoded;
  return {
    /** `null` for a row that another contract wrote: it was read from its event. */
    function: isFromEvent ? null : decoded.function,
    table: args.tabname,
    row_id: args.rowid.toString(),
    row: {
      row_id: row.rowId,
      sender: row.sender,
      code: row.code,
      created_at: row.createdAt,
      topic: row.topic,
      format: row.format,
      payload: row.payload,
    },
    checks: {
      passed: verdictOf(call) === "passed",
      failed,
      undetermined,
      signer: checks.signer ?? null,
      binding: checks.binding ?? null,
      /** `null` when the signature is not checked. */
      signed_by_sender: checks.signatureChecked ? checks.signedBySender : null,
      row_id_matches: checks.rowIdMatches,
    },
    chain:
      contract === undefined
        ? null
        : {
            chain_id: contract.chainId,
            contract: contract.address,
            tx_hash: transaction?.hash ?? null,
            block_number: transaction?.block?.number ?? null,
            block_time: transaction?.block?.time ?? null,
            state: onChain?.state ?? null,
            wrote: onChain?.wrote ?? null,
          },
    warnings,
    /** The arguments in the decode route's format. */
    transaction: decoded.transaction,
  };
}
