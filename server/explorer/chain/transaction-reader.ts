import { AbiCoder, getBytes, keccak256 } from "ethers";
import type { Action, WrittenRow } from "../call.ts";
import type { ExploredTransaction, Held, Mined } from "../explored.ts";
import type { ProofAnchorClient } from "../../chain/contracts/proof-anchor-client.ts";
import type { Address } from "../../chain/transaction.ts";
import { readContract } from "../../chain/contracts/interfaces.ts";
import { revertReasonOf } from "../../chain/contracts/revert-reason.ts";
import { eventTableInterface } from "../../records/index.ts";
import { askQuantity } from "../../chain/rpc/quantity.ts";
import type { Rpc } from "../../chain/rpc/rpc.ts";
import type { BlockReader } from "./block-reader.ts";
import type { CallDecoder } from "./call-decoder.ts";
import { ask, NodeReceipt, NodeTransaction } from "./node-responses.ts";

const NOTHING = `0x${"0".repeat(64)}`;

/** Reads transactions for people. */
export class TransactionReader {
  readonly #rpc: Rpc;
  readonly #decoder: CallDecoder;
  readonly #blocks: BlockReader;
  readonly #anchors: Pick<ProofAnchorClient, "anchorOf">;
  readonly #eventTable: Address;

  constructor(
    rpc: Rpc,
    decoder: CallDecoder,
    blocks: BlockReader,
    anchors: Pick<ProofAnchorClient, "anchorOf">,
    eventTable: Address,
  ) {
    this.#rpc = rpc;
    this.#decoder = decoder;
    this.#blocks = blocks;
    this.#anchors = anchors;
    this.#eventTable = eventTable;
  }

  async transaction(hash: string): Promise<ExploredTransaction | undefined> {
    const transaction = await ask(this.#rpc, NodeTransaction, "eth_getTransactionByHash", [hash]);
    if (transaction === undefined) return undefined;
    const { from, to, nonce, value, gasPrice, gas, input } = transaction;
    const action = this.#decoder.actionOf(transaction);
    const [mined, held] = await Promise.all([this.#minedOf(transaction), this.#heldOf(action, input)]);
    const call = this.#decoder.callOf(transaction);
    return { hash, from, to, nonce, value, gasPrice, gasLimit: gas, input, action, held, call, mined };
  }

  async #minedOf({ hash, from, to, input, gas, blockHash }: NodeTransaction): Promise<Mined | undefined> {
    if (blockHash === undefined || blockHash === null) return undefined;
    const receipt = await ask(this.#rpc, NodeReceipt, "eth_getTransactionReceipt", [hash]);
    if (receipt === undefined) return undefined;
    const [block, head] = await Promise.all([
      this.#blocks.summary(receipt.blockNumber),
      askQuantity(this.#rpc, "eth_blockNumber", []),
    ]);
    // The block under the receipt's number is another one by now: the transaction is in none.
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
          : { address: contractAddress, contract: this.#decoder.contractAt(contractAddress) },
      logs: receipt.logs.map((log) => this.#decoder.logOf(log)),
    };
  }

  async #heldOf(action: Action, input: string): Promise<Held | undefined> {
    if (action.kind === "anchor") return { kind: "anchor", first: await this.#anchors.anchorOf(getBytes(action.hash)) };
    return action.kind === "record" ? { kind: "row", state: await this.#rowState(action, input) } : undefined;
  }

  /** What the event table has under the row's number, compared with what the transaction wrote there. */
  async #rowState(
    { function: name, table, rowId, compressed, signer }: WrittenRow,
    input: string,
  ): Promise<"current" | "overwritten" | "missing"> {
    const question = eventTableInterface.encodeFunctionData("digestOf", [table, rowId]);
    const stored = await readContract(this.#rpc, this.#eventTable, question);
    if (stored === NOTHING) return "missing";
    const rowdata = String(eventTableInterface.decodeFunctionData(name, input).getValue("rowdata"));
    const written = AbiCoder.defaultAbiCoder().encode(
      ["address", "bool", "bytes32"],
      [signer ?? NOTHING.slice(0, 42), compressed, keccak256(rowdata)],
    );
    return stored === keccak256(written) ? "current" : "overwritten";
  }
}
