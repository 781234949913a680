import { z } from "zod";
import { EventTableClient, type LoggedRow } from "../../server/chain/contracts/event-table-client.ts";
import { FullNodeBlock, fetchBlock, NodeBlock, NodeTransaction } from "../../server/chain/node/node-block.ts";
import { NodeReceipt } from "../../server/chain/node/receipt.ts";
import { fetchQuantity, OptionalAddress, query } from "../../server/chain/rpc/query.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import type { Address } from "../../server/chain/transaction.ts";
import type { RowArguments } from "../../server/records/call-data.ts";
import { SealbookError } from "../../server/errors.ts";

/**
 * The state of a row. `current`, `overwritten` and `missing` compare it with the contract's row of its number;
 * `reverted` and `pending` are transactions that wrote no row; `unknown` is a contract that is no event table.
 */
export type RowState = "current" | "overwritten" | "missing" | "reverted" | "pending" | "unknown";

/** A transaction as the chain has it. */
export interface ChainTransaction {
  readonly hash: string;
  /** Contract that it calls; `undefined` for a deployment. */
  readonly to: Address | undefined;
  readonly input: string;
  /** Unset while it is in no block. */
  readonly block?: { readonly number: number; readonly time: number };
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

  private constructor(rpc: Pick<Rpc, "call">, chainId: number) {
    this.#rpc = rpc;
    this.chainId = chainId;
  }

  static async open(rpc: Pick<Rpc, "call">): Promise<AuditedChain> {
    return new AuditedChain(rpc, await fetchQuantity(rpc, "eth_chainId", []));
  }

  newestBlock(): Promise<number> {
    return fetchQuantity(this.#rpc, "eth_blockNumber", []);
  }

  /** @returns `undefined` when the chain does not have it */
  async transaction(hash: string): Promise<ChainTransaction | undefined> {
    const found = await query(this.#rpc, MinedTransaction, "eth_getTransactionByHash", [hash]);
    if (found === undefined) return undefined;
    const { to, input, blockNumber } = found;
    const call = { hash: found.hash, to, input };
    if (blockNumber === undefined || blockNumber === null) return call;
    const block = await fetchBlock(this.#rpc, Number(blockNumber), BlockTime);
    return block === undefined ? call : { ...call, block: { number: block.number, time: block.timestamp } };
  }

  /** Fetches the transactions of a block; none for a block that the node does not have. */
  async transactionsOf(number: number): Promise<ChainTransaction[]> {
    const block = await fetchBlock(this.#rpc, number, CallsOfBlock, { full: true });
    if (block === undefined) return [];
    const { number: found, timestamp: time } = block;
    return block.transactions.map(({ hash, to, input }) => ({ hash, to, input, block: { number: found, time } }));
  }

  /** Fetches the outcome of a mined transaction, with the event of the row that it wrote. */
  async outcome(
    { hash, to }: ChainTransaction,
    { tabname, rowid }: RowArguments,
  ): Promise<{ readonly succeeded: boolean; readonly written: LoggedRow | undefined } | undefined> {
    const receipt = await query(this.#rpc, Outcome, "eth_getTransactionReceipt", [hash]);
    if (receipt === undefined) return undefined;
    const rows = receipt.logs.filter(({ address }) => address === to).map((log) => EventTableClient.rowOf(log));
    const written = rows.find((row) => row?.table === tabname && row.rowId === rowid);
    return { succeeded: receipt.status === 1, written };
  }

  /** Compares a row with the contract's current row of its number. */
  async stateOf(contract: Address, args: RowArguments, signer: Address | undefined): Promise<RowState> {
    const { tabname, rowid, comp, rowdata } = args;
    const table = new EventTableClient(this.#rpc, contract);
    try {
      return await table.stateOf(tabname, rowid.toString(), { signer, comp, rowdata });
    } catch (error) {
      // Contracts of other systems have no such function.
      if (error instanceof SealbookError && error.code === "chain_reverted") return "unknown";
      throw error;
    }
  }
}
