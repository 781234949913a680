import { getBytes } from "ethers";
import type { Action, WrittenRow } from "../call.ts";
import type { ExploredTransaction, OnChainState, Mined } from "../explored.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { EventTableClient } from "../../chain/contracts/event-table-client.ts";
import { revertReasonOf } from "../../chain/contracts/interfaces.ts";
import { fetchQuantity, query } from "../../chain/rpc/query.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import type { RowAudit } from "../../records/index.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ContractNames } from "./contract-names.ts";
import type { ThreadedDecoder } from "./threaded-decoder.ts";
import { NodeReceipt } from "../../chain/node/receipt.ts";
import { NodeTransaction } from "../../chain/node/node-block.ts";

/** Reads and decodes transactions. */
export class TransactionReader {
  readonly #rpc: Rpc;
  readonly #names: ContractNames;
  readonly #decoder: ThreadedDecoder;
  readonly #blocks: BlockReader;
  readonly #anchors: Pick<ProofAnchorClient, "anchorOf">;
  readonly #eventTable: EventTableClient;
  readonly #audit: RowAudit;

  constructor(
    rpc: Rpc,
    names: ContractNames,
    decoder: ThreadedDecoder,
    blocks: BlockReader,
    anchors: Pick<ProofAnchorClient, "anchorOf">,
    eventTable: EventTableClient,
    audit: RowAudit,
  ) {
    this.#rpc = rpc;
    this.#names = names;
    this.#decoder = decoder;
    this.#blocks = blocks;
    this.#anchors = anchors;
    this.#eventTable = eventTable;
    this.#audit = audit;
  }

  /** Returns whether the chain has a transaction, without decoding it. */
  async has(hash: string): Promise<boolean> {
    return (await query(this.#rpc, NodeTransaction, "eth_getTransactionByHash", [hash])) !== undefined;
  }

  async transaction(hash: string, source: string): Promise<ExploredTransaction | undefined> {
    const transaction = await query(this.#rpc, NodeTransaction, "eth_getTransactionByHash", [hash]);
    if (transaction === undefined) return undefined;
    const { from, to, nonce, value, gasPrice, gas, input } = transaction;
    const decoded = await this.#decoder.transaction(source, transaction);
    const [mined, onChain] = await Promise.all([
      this.#minedOf(transaction, source),
      this.#onChainStateOf(decoded.action, hash),
    ]);
    return { hash, from, to, nonce, value, gasPrice, gasLimit: gas, input, ...decoded, onChain, mined };
  }

  async #minedOf(
    { hash, from, to, input, gas, blockHash }: NodeTransaction,
    source: string,
  ): Promise<Mined | undefined> {
    if (blockHash === undefined || blockHash === null) return undefined;
    const receipt = await query(this.#rpc, NodeReceipt, "eth_getTransactionReceipt", [hash]);
    if (receipt === undefined) return undefined;
    const [block, head] = await Promise.all([
      this.#blocks.summary(receipt.blockNumber),
      fetchQuantity(this.#rpc, "eth_blockNumber", []),
    ]);
    // The chain now has another block with the receipt's number: the transaction is in no block.
    if (block === undefined || block.hash !== receipt.blockHash) return undefined;
    const succeeded = receipt.status === 1;
    const { contractAddress } = receipt;
    return {
      block,
      index: receipt.transactionIndex,
      confirmations: Math.max(1, head - block.number + 1),
      succeeded,
      reason: succeeded
        ? undefined
        : await revertReasonOf(this.#rpc, { from, to: to ?? null, data: input, gasLimit: gas }),
      gasUsed: receipt.gasUsed,
      deployed:
        contractAddress === undefined
          ? undefined
          : { address: contractAddress, contract: this.#names.contractAt(contractAddress) },
      logs: await this.#decoder.logs(source, receipt.logs),
    };
  }

  async #onChainStateOf(action: Action, hash: string): Promise<OnChainState | undefined> {
    if (action.kind === "anchor") return { kind: "anchor", first: await this.#anchors.anchorOf(getBytes(action.hash)) };
    return action.kind === "record" ? this.#rowState(action, hash) : undefined;
  }

  /** Compares the event table's current row of the number, and the index, with the row that the transaction wrote. */
  async #rowState(
    { table, rowId, compressed: comp, signer, rowdata, signature }: WrittenRow,
    hash: string,
  ): Promise<OnChainState> {
    const row = { tableName: table, rowId: BigInt(rowId), rowdata, signature, transactionHash: getBytes(hash) };
    const [state, verdict] = await Promise.all([
      this.#eventTable.stateOf(table, rowId, { signer, comp, rowdata }),
      this.#audit.verdictOf(row),
    ]);
    return { kind: "row", state, verdict };
  }
}
