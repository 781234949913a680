import { getBytes } from "ethers";
import type { Action, ExploredTransaction } from "../responses.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { EventTableClient } from "../../chain/contracts/event-table-client.ts";
import { revertReasonOf } from "../../chain/contracts/interfaces.ts";
import { fetchHead, lookUp, query } from "../../chain/rpc/query.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import { type RowAudit, toVerdict, writtenPayload } from "../../records/index.ts";
import type { BlockReader } from "./block-reader.ts";
import type { ContractNames } from "./contract-names.ts";
import type { CalledAction } from "./call-decoder.ts";
import type { ChainDecoder } from "../decoder.ts";
import { NodeReceipt } from "../../chain/node/receipt.ts";
import { NodeTransaction } from "../../chain/node/node-block.ts";

/** Reads and decodes transactions. */
export class TransactionReader {
  readonly #rpc: Rpc;
  readonly #names: ContractNames;
  readonly #decoder: ChainDecoder;
  readonly #blocks: BlockReader;
  readonly #anchors: Pick<ProofAnchorClient, "anchorOf">;
  readonly #eventTable: EventTableClient;
  readonly #audit: RowAudit;

  constructor(
    rpc: Rpc,
    names: ContractNames,
    decoder: ChainDecoder,
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
    return (await lookUp(this.#rpc, NodeTransaction, "eth_getTransactionByHash", [hash])) !== undefined;
  }

  async transaction(hash: string, source: string): Promise<ExploredTransaction | undefined> {
    const transaction = await lookUp(this.#rpc, NodeTransaction, "eth_getTransactionByHash", [hash]);
    if (transaction === undefined) return undefined;
    const { from, to, nonce, value, gasPrice, gas, input } = transaction;
    const { action, ...decoded } = await this.#decoder.transaction(source, transaction);
    const [mined, checked] = await Promise.all([this.#minedOf(transaction, source), this.#checked(action, hash)]);
    return {
      hash,
      from,
      to: to ?? null,
      nonce,
      value: value.toString(),
      gas_price: gasPrice.toString(),
      gas_limit: gas,
      input,
      action: checked,
      ...decoded,
      ...(mined ?? { status: "pending", logs: [] }),
    };
  }

  async #minedOf({ hash, from, to, input, gas, blockHash }: NodeTransaction, source: string) {
    if (blockHash === undefined || blockHash === null) return undefined;
    const receipt = await query(this.#rpc, NodeReceipt, "eth_getTransactionReceipt", [hash]);
    if (receipt === undefined) return undefined;
    const [block, head] = await Promise.all([this.#blocks.summary(receipt.blockNumber), fetchHead(this.#rpc)]);
    // The chain now has another block with the receipt's number: the transaction is in no block.
    if (block === undefined || block.hash !== receipt.blockHash) return undefined;
    const succeeded = receipt.status === 1;
    const { contractAddress: address } = receipt;
    return {
      status: succeeded ? "succeeded" : "reverted",
      reason: succeeded
        ? undefined
        : await revertReasonOf(this.#rpc, { from, to: to ?? null, data: input, gasLimit: gas }),
      block,
      index: receipt.transactionIndex,
      confirmations: Math.max(1, head - block.number + 1),
      gas_used: receipt.gasUsed,
      deployed: address === undefined ? undefined : { address, contract: this.#names.contractAt(address) },
      logs: await this.#decoder.logs(source, receipt.logs),
    } as const;
  }

  /**
   * Adds what the chain has now: a row can be overwritten, a hash can have been anchored before. A row is compared with
   * the event table's current row of the number, and with the index.
   */
  async #checked(action: CalledAction, hash: string): Promise<Action> {
    if (action.kind === "anchor") {
      const first = await this.#anchors.anchorOf(getBytes(action.hash));
      if (first === undefined) return { ...action, first: null };
      const { blockNumber, time, size } = first;
      return { ...action, first: { block_number: blockNumber, timestamp: time, size } };
    }
    if (action.kind !== "record") return action;
    const { rowdata, ...written } = action;
    const { table, row_id: rowId, compressed: comp, signature, signer, row } = written;
    const signed = {
      tableName: table,
      rowId: BigInt(rowId),
      rowdata,
      signature,
      call: { transactionHash: getBytes(hash) },
    };
    const [on_chain, verdict] = await Promise.all([
      this.#eventTable.stateOf(table, rowId, { signer: signer ?? undefined, comp, rowdata }),
      this.#audit.verdictOf(signed),
    ]);
    return {
      ...written,
      // The thread of the decoder has passed the values of its numbers.
      row: row && { ...row, payload: writtenPayload(row.payload_base64) },
      on_chain,
      record: toVerdict(verdict),
    };
  }
}
