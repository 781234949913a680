// Module of the threads of ChainDecoder.
import { useFastKeccak } from "../../chain/fast-crypto.ts";
import type { NodeLog } from "../../chain/node/log.ts";
import type { NodeTransaction } from "../../chain/node/node-block.ts";
import type { ContractAddresses } from "../../chain/transaction.ts";
import { serveJobs } from "../../kit/workers/reply.ts";
import { CallDecoder } from "./call-decoder.ts";
import { ContractNames } from "./contract-names.ts";

/** Data of the module, for all jobs. */
export interface WorkerData {
  readonly contracts: ContractAddresses;
  readonly chainId: number;
}

let decoder: CallDecoder | undefined;
await useFastKeccak();

function decoderOf({ contracts, chainId }: WorkerData): CallDecoder {
  return (decoder ??= new CallDecoder(new ContractNames(contracts), chainId));
}

export const transaction = serveJobs((call: Pick<NodeTransaction, "to" | "input">, data: WorkerData) =>
  decoderOf(data).transactionOf(call),
);

export const log = serveJobs((entry: NodeLog, data: WorkerData) => decoderOf(data).logOf(entry));
