import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { SealbookError } from "../../server/errors.ts";
import { encodeCallData, ROW_SELECTORS, type RowFunction } from "../../server/records/call-data.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { type AuditedCall, auditCall, type AuditVerdict, type CallToAudit, verdictOf } from "./audit.ts";
import { type AuditedChain, type ChainTransaction, type RowEvent, TRANSACTION_HASH } from "./chain.ts";
import { ContradictionError, unavailable } from "../../server/chain/rpc/rpc.ts";

/** A call of a batch: found on the chain, or a line of a file. */
interface FoundCall {
  /** Where it comes from: a transaction, or a line. */
  readonly source: string;
  /** Unset when the source names a transaction that the chain does not have. */
  readonly call: CallToAudit | undefined;
}

/** An audited call of a batch. */
export interface BatchRow {
  readonly source: string;
  /** Unset for a fault. */
  readonly audited?: AuditedCall;
  /** Why it is no record. */
  readonly fault?: string;
  /** Why it was not looked at. */
  readonly unread?: string;
}

/** Returns the verdict of a row: a fault is a failure. */
export function verdictOfRow({ audited, unread }: BatchRow): AuditVerdict {
  if (audited !== undefined) return verdictOf(audited);
  return unread === undefined ? "failed" : "undetermined";
}

/** Blocks or lines that are read at the same time. */
const AT_ONCE = 16;
/** Length of `0x` and a selector in hex. */
const SELECTOR_TEXT = 10;

/**
 * Finds the calls of row functions in blocks, and the rows that other contracts wrote, both ends included, in the order
 * of the chain.
 * @param contract Leaves out calls and rows of other contracts
 * @throws SealbookError `chain_unavailable` when the node lacks a block
 */
export async function* callsOfBlocks(
  chain: AuditedChain,
  from: number,
  to: number,
  contract: Address | undefined,
  onBlocks: (count: number) => void,
): AsyncGenerator<FoundCall> {
  for (let first = from; first <= to; first += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, to - first + 1) }, (_, index) => first + index);
    const [rows, ...blocks] = await Promise.all([
      chain.rowsOf(first, first + numbers.length - 1, contract),
      ...numbers.map((number) => chain.transactionsOf(number)),
    ]);
    const byTransaction = Map.groupBy(rows, ({ transactionHash }) => transactionHash);
    for (const transaction of blocks.flat()) {
      yield* callsOf(transaction, byTransaction.get(transaction.hash) ?? [], contract);
      byTransaction.delete(transaction.hash);
    }
    const [unknown] = byTransaction.keys();
    if (unknown !== undefined)
      throw unavailable(new ContradictionError(`the node returns rows of ${unknown}, which its blocks do not have`));
    onBlocks(numbers.length);
  }
}

/** Returns the call of a transaction, and the rows that it wrote through other contracts. */
function callsOf(
  transaction: ChainTransaction,
  rows: readonly RowEvent[],
  contract: Address | undefined,
): readonly FoundCall[] {
  const { hash, to, input } = transaction;
  const isCall = ROW_SELECTORS.has(input.slice(0, SELECTOR_TEXT)) && (contract === undefined || to === contract);
  // A call writes one row of the contract that it calls.
  const own = isCall ? rows.findIndex((each) => each.contract === to) : -1;
  const others = rows.filter((_, index) => index !== own);
  return [
    ...(isCall ? [{ source: hash, call: { inputdata: input, transaction } }] : []),
    ...others.map((event) => ({
      source: hash,
      call: {
        inputdata: encodeCallData("set", { ...event.row, tabname: event.row.table, rowid: event.row.rowId }),
        event,
        transaction,
      },
    })),
  ];
}

/**
 * Reads hashes of transactions and call data, one a line; lines that are empty or begin with `#` are left out.
 */
export async function* callsOfLines(
  input: Readable,
  place: Pick<CallToAudit, "named" | "known">,
  chain: AuditedChain | undefined,
): AsyncGenerator<FoundCall> {
  let number = 0;
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    number += 1;
    const text = line.trim();
    if (text === "" || text.startsWith("#")) continue;
    if (!TRANSACTION_HASH.test(text)) {
      yield { source: `line ${number}`, call: { inputdata: text, ...place } };
      continue;
    }
    const transaction = await chain?.transaction(text.toLowerCase());
    yield { source: text, call: transaction && { inputdata: transaction.input, transaction, ...place } };
  }
}

/** Audits calls in their order. */
export async function* auditCalls(
  calls: AsyncIterable<FoundCall>,
  expected: RowFunction | undefined,
  chain: AuditedChain | undefined,
): AsyncGenerator<BatchRow> {
  let waiting: Promise<BatchRow>[] = [];
  for await (const call of calls) {
    const row = auditOne(call, expected, chain);
    // Its failure is reported in its turn, not while the next blocks are read.
    row.catch(() => undefined);
    waiting.push(row);
    if (waiting.length < AT_ONCE) continue;
    yield* await Promise.all(waiting);
    waiting = [];
  }
  yield* await Promise.all(waiting);
}

async function auditOne(
  { source, call }: FoundCall,
  expected: RowFunction | undefined,
  chain: AuditedChain | undefined,
): Promise<BatchRow> {
  if (call === undefined)
    return chain === undefined
      ? { source, unread: "needs a node: --rpc" }
      : { source, fault: "the chain has no such transaction" };
  try {
    return { source, audited: await auditCall(call, expected, chain) };
  } catch (error) {
    if (!(error instanceof SealbookError && error.code === "malformed")) throw error;
    return { source, fault: error.message };
  }
}
