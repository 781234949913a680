import { AbiCoder, keccak256 } from "ethers";
import { EMBEDDED_CHAIN_ID } from "../../server/composition/embedded-chain.ts";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { deploymentFile, readDeployment } from "../../server/chain/contracts/deployment.ts";
import { fetchLogs } from "../../server/chain/node/log.ts";
import { NodeTransaction } from "../../server/chain/node/node-block.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { Hex, fetchQuantity } from "../../server/chain/rpc/query.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";

const Input = NodeTransaction.pick({ input: true });

/** Sample size: all transactions of one contract have the same form. */
const SAMPLED = 50;
const WORD_BYTES = 32;
/** Slots of state variables that may be the mapping of anchors. */
const MOST_SLOTS = 16;

/** Space that anchors use on chain: means over transactions, in bytes. */
export interface ChainSize {
  readonly transactions: number;
  readonly callData: number;
  /** Topics and data of the log. */
  readonly log: number;
  /** Storage words that the contract fills. */
  readonly storage: number;
  /** The whole signed transaction. */
  readonly transaction: number;
}

/** Reads the sizes of a run's transactions from the chain of a data folder. */
export async function chainSize(chainUrl: string, directory: string): Promise<ChainSize> {
  const contract = (await readDeployment(deploymentFile(directory, EMBEDDED_CHAIN_ID)))?.contracts.ProofAnchor;
  if (contract === undefined) throw new Error(`there are no contracts in ${directory}`);
  const rpc = connectRpc(chainUrl, EMBEDDED_CHAIN_ID);
  try {
    const topic = INTERFACES.ProofAnchor.getEvent("Anchored").topicHash;
    const head = await fetchQuantity(rpc, "eth_blockNumber", []);
    const logs = await fetchLogs(rpc, { address: [contract], topics: [topic] }, 0, head);
    const sizes = await Promise.all(
      logs.slice(-SAMPLED).map(async ({ transactionHash, topics, data }) => ({
        callData: bytes(Input.parse(await rpc.call("eth_getTransactionByHash", [transactionHash])).input),
        transaction: bytes(Hex.parse(await rpc.call("eth_getRawTransactionByHash", [transactionHash]))),
        log: topics.length * WORD_BYTES + bytes(data),
        storage: (await wordsOf(rpc, contract, topics[1] ?? "")) * WORD_BYTES,
      })),
    );
    const mean = (key: "callData" | "transaction" | "log" | "storage"): number =>
      sizes.reduce((sum, size) => sum + size[key], 0) / Math.max(1, sizes.length);
    const transactions = new Set(logs.map(({ transactionHash }) => transactionHash)).size;
    return {
      transactions,
      callData: mean("callData"),
      log: mean("log"),
      storage: mean("storage"),
      transaction: mean("transaction"),
    };
  } finally {
    rpc.close();
  }
}

/** Counts the storage words of an anchor: those of its entry in a mapping, wherever the contract has it. */
async function wordsOf(rpc: Rpc, contract: string, hash: string): Promise<number> {
  for (let mapping = 0; mapping < MOST_SLOTS; mapping += 1) {
    const first = BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(["bytes32", "uint256"], [hash, mapping])));
    for (let words = 0; ; words += 1) {
      const slot = `0x${(first + BigInt(words)).toString(16).padStart(64, "0")}`;
      if (BigInt(Hex.parse(await rpc.call("eth_getStorageAt", [contract, slot, "latest"]))) !== 0n) continue;
      if (words > 0) return words;
      break;
    }
  }
  throw new Error(`${hash} has no storage in any mapping of ProofAnchor`);
}

function bytes(hex: string): number {
  return (hex.length - 2) / 2;
}
