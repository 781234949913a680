// Module of the threads of ChainDecoder.
import { workerData } from "node:worker_threads";
import { useFastKeccak } from "../../chain/fast-crypto.ts";
import type { NodeLog } from "../../chain/node/log.ts";
import type { NodeTransaction } from "../../chain/node/node-block.ts";
import type { Address, ContractAddresses } from "../../chain/transaction.ts";
import { serveJobs } from "../../kit/workers/reply.ts";
import { CallDecoder } from "./call-decoder.ts";
import { ContractNames } from "./contract-names.ts";

/** Start data of the module. */
export interface WorkerData {
  readonly contracts: ContractAddresses;
  /** Former contracts for anchors. */
  readonly former: readonly Address[];
}

const { contracts, former }: WorkerData = workerData;
const decoder = new CallDecoder(new ContractNames(contracts, former));
await useFastKeccak();

export const transaction = serveJobs((call: Pick<NodeTransaction, "to" | "input">) => decoder.transactionOf(call));

export const log = serveJobs((entry: NodeLog) => decoder.logOf(entry));
