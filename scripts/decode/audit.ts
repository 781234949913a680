import type { Address } from "../../server/chain/transaction.ts";
import { type DecodedCallData, decodeAcceptedCallData, type RowFunction } from "../../server/records/call-data.ts";
import { withWrittenNumbers } from "../../server/records/payload-text.ts";
import { duplicateKeyWarnings } from "./duplicate-key-warnings.ts";
import { checkRow, type RowChecks } from "../../server/records/row-audit.ts";
import type { TableContract } from "../../server/records/index.ts";
import type { AuditedChain, ChainTransaction, RowEvent, RowState } from "./chain.ts";

/** Call data to audit, and what is known of their place. */
export interface CallToAudit {
  readonly inputdata: string;
  /** The transaction with the call data. */
  readonly transaction?: ChainTransaction | undefined;
  /** The event of a row that another contract wrote: the call data are those of the event. */
  readonly event?: RowEvent | undefined;
  /** The event table that the auditor has named. */
  readonly named?: TableContract | undefined;
  /** Event tables that call data can be for, when none is named. */
  readonly known?: readonly TableContract[] | undefined;
}

/** The row on chain. */
interface RowOnChain {
  readonly state: RowState;
  /** Whether the row was the first of its number; `undefined` when that is not known. */
  readonly wrote: "first" | "overwrite" | undefined;
}

/** Decoded and checked call data. */
export interface AuditedCall {
  readonly decoded: DecodedCallData;
  readonly checks: RowChecks;
  readonly contract: TableContract | undefined;
  readonly transaction: ChainTransaction | undefined;
  /** Whether the row was read from its event, because no call at the top of a transaction wrote it. */
  readonly isFromEvent: boolean;
  /** `undefined` without a chain or a contract. */
  readonly onChain: RowOnChain | undefined;
  /** Deviations from the canonical encoding that contracts accept, and keys that appear twice in the payload. */
  readonly warnings: readonly string[];
  /** The checks that failed; empty when all passed. */
  readonly failed: readonly string[];
  /** The checks that could not be made. */
  readonly undetermined: readonly string[];
}

/** The verdict of an audit. */
export type AuditVerdict = "passed" | "failed" | "undetermined";

/** Returns the verdict of an audit: it passed only when every check could be made. */
export function verdictOf({ failed, undetermined }: Pick<AuditedCall, "failed" | "undetermined">): AuditVerdict {
  if (failed.length > 0) return "failed";
  return undetermined.length > 0 ? "undetermined" : "passed";
}

/**
 * Decodes and checks call data. With a chain, the row is compared with what the chain has.
 * @throws SealbookError `malformed` for data that no contract decodes to a record
 */
export async function auditCall(
  { inputdata, transaction, event, named, known = [] }: CallToAudit,
  expected: RowFunction | undefined,
  chain: AuditedChain | undefined,
): Promise<AuditedCall> {
  const { warnings: deviations, ...call } = decodeAcceptedCallData(
    inputdata,
    event === undefined ? expected : undefined,
  );
  const decoded = withWrittenNumbers(call);
  const warnings = [...deviations, ...duplicateKeyWarnings(decoded.row.payloadBase64)];
  const called = event?.contract ?? transaction?.to;
  const contract =
    called !== undefined && chain !== undefined
      ? { chainId: chain.chainId, address: called }
      : (named ?? tableOf(decoded, known));
  const contracts = contract === undefined ? [] : [contract];
  const outcome = await outcomeOf();
  const written = outcome?.written;
  const isWritten = transaction === undefined || outcome?.succeeded === true;
  const found = await stateOf();
  // Call data alone do not show that its row ever was on chain.
  const state = found === "overwritten" && written === undefined ? "another" : found;
  // Only an event table vouches for the signature of a contract account; others can log any signer.
  const isVouched = state !== "unknown" && event?.isTrusted !== false;
  // The digest of a current row has its signer.
  const accepted = written?.signer ?? (state === "current" ? recoveredSigner() : undefined);
  const checks = withoutGuess(
    checkRow(decoded, { contracts, loggedSigner: isVouched ? accepted : undefined }),
    decoded.row.sender,
    contract,
  );
  const onChain = state && { state, wrote: wroteOf(written?.replaced) };
  const isElsewhere = named !== undefined && contract?.address.toLowerCase() !== named.address.toLowerCase();
  const failed = [...(isElsewhere ? [ELSEWHERE] : []), ...failedChecks(checks, contract, state)];
  const undetermined = [
    ...(checks.signatureChecked ? [] : [checks.binding === "contract" ? NOT_ASKED : NO_PLACE]),
    ...(state === "undetermined" ? [NOT_QUERIED] : []),
    ...(state === "another" ? [ANOTHER_ROW] : []),
  ];
  const isFromEvent = event !== undefined;
  return { decoded, checks, contract, transaction, isFromEvent, onChain, warnings, failed, undetermined };

  function recoveredSigner(): Address | undefined {
    return checkRow(decoded, { contracts }).signer;
  }

  async function outcomeOf() {
    if (event !== undefined) return { succeeded: true, written: event.row };
    return transaction?.block === undefined ? undefined : chain?.outcome(transaction, decoded.arguments);
  }

  async function stateOf(): Promise<RowState | undefined> {
    if (chain === undefined || contract === undefined) return undefined;
    if (!isWritten) return outcome === undefined ? "pending" : "reverted";
    return chain.stateOf(contract.address, decoded.arguments, written?.signer ?? recoveredSigner());
  }
}

function wroteOf(replaced: string | null | undefined): RowOnChain["wrote"] {
  if (replaced === undefined) return undefined;
  return replaced === null ? "first" : "overwrite";
}

const NOT_QUERIED = "the node does not return the row of the chain now; it may be another one by now";
const NO_PLACE =
  "the signature is not checked: it counts for one chain and contract, which are not known here; give --contract " +
  "and its chain";
const ELSEWHERE = "the transaction is one of another contract than --contract";
const ANOTHER_ROW = "the contract has another row of this number; only a transaction shows whether it had this one";
const NOT_ASKED = "the signature is not checked: it is of a contract account, which only the chain can ask";

/** The states in which the chain does not have the row. */
const FAILED_STATES: Readonly<Partial<Record<RowState, string>>> = {
  missing: "the chain has no such row",
  reverted: "the transaction reverted: it wrote no row",
  pending: "the transaction is in no block yet: it wrote no row",
};

function failedChecks(checks: RowChecks, contract: TableContract | undefined, state: RowState | undefined): string[] {
  const failed: string[] = [];
  const { signer, signatureChecked, signedBySender, rowIdMatches } = checks;
  if (signatureChecked && signer === undefined) failed.push("no event table would accept the signature");
  else if (signatureChecked && !signedBySender) failed.push(wrongSigner(checks, contract));
  if (!rowIdMatches) failed.push("the row id in the row is not that of the call");
  const reason = state && FAILED_STATES[state];
  if (reason !== undefined) failed.push(reason);
  return failed;
}

/** Without a binding, what the signature recovers is nobody's address. */
function wrongSigner({ signer, binding }: RowChecks, contract: TableContract | undefined): string {
  if (binding !== undefined || contract === undefined) return `the signer ${signer} is not the sender named in the row`;
  const { address, chainId } = contract;
  return `the sender named in the row signed neither it for contract ${address} on chain ${chainId} nor its data alone`;
}

/** Returns the table for which a row is signed; of a single one, that one. */
function tableOf(decoded: DecodedCallData, tables: readonly TableContract[]): TableContract | undefined {
  const [only, another] = tables;
  if (another === undefined) return only;
  return tables.find((table) => checkRow(decoded, { contracts: [table] }).binding === "place");
}

/**
 * A signature for a place that is not known recovers an arbitrary address: it is no signer. One of a contract account
 * names its signer: another sender is wrong, whatever the chain says.
 */
function withoutGuess(checks: RowChecks, sender: string, contract: TableContract | undefined): RowChecks {
  const { signer, binding } = checks;
  if (contract === undefined && signer !== undefined && binding === undefined)
    return { ...checks, signer: undefined, signatureChecked: false };
  if (binding === "contract" && signer?.toLowerCase() !== sender.toLowerCase())
    return { ...checks, signatureChecked: true, signedBySender: false };
  return checks;
}
