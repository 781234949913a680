import * as z from "zod";
import { EventTableClient, type LoggedRow } from "../../server/chain/contracts/event-table-client.ts";
import { FullNodeBlock, fetchBlock, NodeBlock, NodeTransaction } from "../../server/chain/node/node-block.ts";
import { NodeReceipt } from "../../server/chain/node/receipt.ts";
import { fetchChainIdOf, fetchHead, lookUp, OptionalAddress } from "../../server/chain/rpc/query.ts";
import type { Address } from "../../server/chain/transaction.ts";
import type { RowArguments } from "../../server/records/call-data.ts";
import { SealbookError } from "../../server/errors.ts";
import { isContradiction, LaggingError, nodeErrorIn, type Rpc, unavailable } from "../../server/chain/rpc/rpc.ts";
import { fetchCode } from "../../server/chain/contracts/contract-code.ts";
import { fetchLogs, type NodeLog } from "../../server/chain/node/log.ts";

/**
 * The state of a row. `current`, `overwritten` and `missing` compare it with the contract's row of its number;
 * `reverted` and `pending` are transactions that wrote no row; `unknown` is a contract that is no event table;
 * `another` is call data of which no transaction is known, and a contract with another row of its number;
 * `undetermined` is a chain that could not be queried.
 */
export type RowState =
  "current" | "overwritten" | "another" | "missing" | "reverted" | "pending" | "unknown" | "undetermined";

export const TRANSACTION_HASH = /^0x[0-9a-f]{64}$/i;

/** A transaction as the chain has it. */
export interface ChainTransaction {
  readonly hash: string;
  /** Contract that it calls; `undefined` for a deployment. */
  readonly to: Address | undefined;
  readonly input: string;
  /** Unset while it is in no block. */
  readonly block?: { readonly number: number; readonly time: number };
}

/** A row from the event log of a table, and the hash of the transaction that wrote it. */
export interface RowEvent {
  readonly contract: Address;
  /** Whether the auditor named the table: any contract can log what it likes. */
  readonly isTrusted: boolean;
  readonly row: LoggedRow;
  readonly transactionHash: string;
}

const CalledTransaction = NodeTransaction.pick({ hash: true, input: true }).extend({ to: OptionalAddress });
const MinedTransaction = CalledTransaction.extend({ blockNumber: z.string().nullish() });
const BlockTime = NodeBlock.pick({ number: true, timestamp: true });
const CallsOfBlock = FullNodeBlock.pick({ number: true, timestamp: true }).extend({
  transactions: z.array(CalledTransaction),
});
const Outcome = NodeReceipt.pick({ status: true, logs: true });

/** What an audit reads of a chain; one node is enough. */
export class AuditedChain {
  readonly #rpc: Pick<Rpc, "call">;
  readonly chainId: number;
  /** Whether addresses have code. */
  readonly #code = new Map<Address, Promise<boolean>>();

  private constructor(rpc: Pick<Rpc, "call">, chainId: number) {
    this.#rpc = rpc;
    this.chainId = chainId;
  }

  static async open(rpc: Pick<Rpc, "call">): Promise<AuditedChain> {
    return new AuditedChain(rpc, await fetchChainIdOf(rpc));
  }

  newestBlock(): Promise<number> {
    return fetchHead(this.#rpc);
  }

  /** @returns `undefined` when the chain does not have it */
  async transaction(hash: string): Promise<ChainTransaction | undefined> {
    const found = await lookUp(this.#rpc, MinedTransaction, "eth_getTransactionByHash", [hash]);
    if (found === undefined) return undefined;
    const { to, input, blockNumber } = found;
    const call = { hash: found.hash, to, input };
    if (blockNumber === undefined || blockNumber === null) return call;
    const block = await fetchBlock(this.#rpc, Number(blockNumber), BlockTime);
    if (block === undefined) throw unavailable(new LaggingError(`the node does not have the block of ${hash}`));
    return { ...call, block: { number: block.number, time: block.timestamp } };
  }

  /** Fetches the transactions of a block. */
  async transactionsOf(number: number): Promise<ChainTransaction[]> {
    const block = await fetchBlock(this.#rpc, number, CallsOfBlock, { full: true });
    if (block === undefined) throw unavailable(new LaggingError(`the node does not have block ${number}`));
    const { number: found, timestamp: time } = block;
    return block.transactions.map(({ hash, to, input }) => ({ hash, to, input, block: { number: found, time } }));
  }

  /**
   * Fetches the rows that were written in a range of blocks, in the order of the chain, whoever called the table.
   * Events of other contracts that only look like rows are left out.
   * @param contract Only those of this table
   */
  async rowsOf(from: number, to: number, contract: Address | undefined): Promise<RowEvent[]> {
    const filter = {
      topics: [EventTableClient.ROW_TOPIC],
      ...(contract === undefined ? {} : { address: [contract] }),
    };
    return (await fetchLogs(this.#rpc, filter, from, to)).flatMap((log) => {
      const row = rowOf(log);
      const isTrusted = contract !== undefined;
      return row === undefined ? [] : [{ contract: log.address, isTrusted, row, transactionHash: log.transactionHash }];
    });
  }

  /** Fetches the outcome of a mined transaction, with the event of the row that it wrote. */
  async outcome(
    { hash, to }: ChainTransaction,
    { tabname, rowid }: RowArguments,
  ): Promise<{ readonly succeeded: boolean; readonly written: LoggedRow | undefined }> {
    const receipt = await lookUp(this.#rpc, Outcome, "eth_getTransactionReceipt", [hash]);
    if (receipt === undefined) throw unavailable(new LaggingError(`the node does not have the receipt of ${hash}`));
    const rows = receipt.logs.filter(({ address }) => address === to).map((log) => rowOf(log));
    const written = rows.find((row) => row?.table === tabname && row.rowId === rowid);
    return { succeeded: receipt.status === 1, written };
  }

  /** Compares a row with the contract's current row of its number. */
  async stateOf(contract: Address, args: RowArguments, signer: Address | undefined): Promise<RowState> {
    const { tabname, rowid, comp, rowdata } = args;
    const table = new EventTableClient(this.#rpc, contract);
    try {
      if (!(await this.#hasCode(contract))) return "missing";
      return await table.stateOf(tabname, rowid.toString(), { signer, comp, rowdata });
    } catch (error) {
      if (!(error instanceof SealbookError)) throw error;
      // Contracts of other systems have no such function.
      if (error.code === "chain_reverted") return "unknown";
      if (nodeErrorIn(error) === undefined && !isContradiction(error)) throw error;
      return "undetermined";
    }
  }

  #hasCode(contract: Address): Promise<boolean> {
    const known = this.#code.get(contract) ?? fetchCode(this.#rpc, contract).then((code) => code !== "0x");
    this.#code.set(contract, known);
    // It is queried again after a failure.
    known.catch(() => this.#code.delete(contract));
    return known;
  }
}

/** Decodes the event of a row; `undefined` for one that contracts of others have written in another form. */
function rowOf(log: Pick<NodeLog, "topics" | "data">): LoggedRow | undefined {
  try {
    return EventTableClient.rowOf(log);
  } catch {
    return undefined;
  }
}
