import { getBytes } from "ethers";
import type { Action, DecodedCallData, ExploredTransaction } from "../responses.ts";
import { revertReasonOf } from "../../chain/contracts/interfaces.ts";
import { malformed } from "../../errors.ts";
import { fetchHead, lookUp, query } from "../../chain/rpc/query.ts";
import { type SignedRow, toVerdict, writtenPayload } from "../../records/index.ts";
import type { CalledAction } from "./call-decoder.ts";
import { NodeReceipt } from "../../chain/node/receipt.ts";
import { NodeTransaction } from "../../chain/node/node-block.ts";
import type { ExplorerSources } from "./sources.ts";

/** Reads and decodes transactions. */
export class TransactionReader {
  readonly #sources: ExplorerSources;

  constructor(sources: ExplorerSources) {
    this.#sources = sources;
  }

  /** Returns whether the chain has a transaction, without decoding it. */
  async has(hash: string): Promise<boolean> {
    return (await lookUp(this.#sources.rpc, NodeTransaction, "eth_getTransactionByHash", [hash])) !== undefined;
  }

  async transaction(hash: string, source: string): Promise<ExploredTransaction | undefined> {
    const transaction = await lookUp(this.#sources.rpc, NodeTransaction, "eth_getTransactionByHash", [hash]);
    if (transaction === undefined) return undefined;
    const { from, to, nonce, value, gasPrice, gas, input } = transaction;
    const { action, ...decoded } = await this.#sources.decoder.transaction(source, transaction);
    const call = { transactionHash: getBytes(hash) };
    const [mined, checked] = await Promise.all([this.#minedOf(transaction, source), this.#checked(action, call)]);
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

  /** Decodes call data of one of the contracts; of others, its action is `other`. */
  async decoded(input: string, source: string): Promise<DecodedCallData> {
    const to = this.#sources.names.calledBy(input);
    if (to === undefined) return { action: { kind: "other" } };
    const { action, ...decoded } = await this.#sources.decoder.transaction(source, { to, input });
    if (decoded.call === undefined && decoded.undecoded === undefined)
      throw malformed("input", "has the selector of a function of the contracts, and not its arguments");
    return { action: await this.#checked(action, { inputdata: input }), ...decoded };
  }

  async #minedOf({ hash, from, to, input, gas, blockHash }: NodeTransaction, source: string) {
    if (blockHash === undefined || blockHash === null) return undefined;
    const receipt = await query(this.#sources.rpc, NodeReceipt, "eth_getTransactionReceipt", [hash]);
    if (receipt === undefined) return undefined;
    const [block, head] = await Promise.all([
      this.#sources.blocks.summary(receipt.blockNumber),
      fetchHead(this.#sources.rpc),
    ]);
    // The chain now has another block with the receipt's number: the transaction is in no block.
    if (block === undefined || block.hash !== receipt.blockHash) return undefined;
    const succeeded = receipt.status === 1;
    const { contractAddress: address } = receipt;
    return {
      status: succeeded ? "succeeded" : "reverted",
      reason: succeeded
        ? undefined
        : await revertReasonOf(this.#sources.rpc, { from, to: to ?? null, data: input, gasLimit: gas }),
      block,
      index: receipt.transactionIndex,
      confirmations: Math.max(1, head - block.number + 1),
      gas_used: receipt.gasUsed,
      deployed: address === undefined ? undefined : { address, contract: this.#sources.names.contractAt(address) },
      logs: await this.#sources.decoder.logs(source, receipt.logs),
    } as const;
  }

  /**
   * Adds what the chain has now: a row can be overwritten, a hash can have been anchored before. A row is compared with
   * the event table's current row of the number, and with the index.
   */
  async #checked(action: CalledAction, call: SignedRow["call"]): Promise<Action> {
    if (action.kind === "anchor") {
      const first = await this.#sources.anchors.anchorOf(getBytes(action.hash));
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
      call,
    };
    const [on_chain, verdict] = await Promise.all([
      this.#sources.eventTable.stateOf(table, rowId, { signer: signer ?? undefined, comp, rowdata }),
      this.#sources.audit.verdictOf(signed),
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
