import { hexlify } from "ethers";
import { z } from "zod";
import type { AnchorInspection, AnchorInspector } from "./anchor-inspection.ts";
import type { Address } from "../transaction.ts";
import { INTERFACES } from "./interfaces.ts";
import { readBlock } from "../node/receipts.ts";
import { askQuantity } from "../rpc/quantity.ts";
import { NodeError, type Rpc, toQuantity, unavailable } from "../rpc/rpc.ts";

const Result = z.string().regex(/^0x[0-9a-f]*$/);
const NO_NAMES: ReadonlyMap<string, string> = new Map();
/** Questions under way at a time. */
const AT_ONCE = 16;
/** How often all is asked anew of a node that forgot the block's state meanwhile. */
const ATTEMPTS = 5;

const proofAnchor = INTERFACES.ProofAnchor;

/** Asks the proof anchor contract at `contract`. */
export function anchorInspector(rpc: Rpc, contract: Address): AnchorInspector {
  const anchorQuestion = (hash: Uint8Array): string => proofAnchor.encodeFunctionData("anchorOf", [hash]);

  const answersAt = async (block: string, questions: readonly string[]): Promise<string[]> => {
    const answers: string[] = [];
    for (let first = 0; first < questions.length; first += AT_ONCE) {
      const some = questions
        .slice(first, first + AT_ONCE)
        .map((data) => rpc.call("eth_call", [{ to: contract, data }, block]));
      answers.push(...(await Promise.all(some)).map((answer) => Result.parse(answer)));
    }
    return answers;
  };

  const inspectOnce = async (hashes: readonly Uint8Array[]): Promise<AnchorInspection> => {
    const number = await askQuantity(rpc, "eth_blockNumber", []);
    const block = await readBlock(rpc, number, NO_NAMES);
    if (block === undefined) throw unavailable(new Error("the node does not have its own newest block"));
    const answers = await answersAt(toQuantity(number), hashes.map(anchorQuestion));
    const anchors = answers.map((answer) => {
      const [{ time, blockNumber, size }] = proofAnchor.decodeFunctionResult("anchorOf", answer);
      return { answer, time: Number(time), blockNumber: Number(blockNumber), size: Number(size) };
    });
    return { block, anchors };
  };

  return {
    anchorQuestion,
    verifyQuestion: (hash, path, root) =>
      proofAnchor.encodeFunctionData("verify", [hash, path.map((node) => hexlify(node)), root]),
    async inspect(hashes) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await inspectOnce(hashes);
        } catch (error) {
          if (!(error instanceof NodeError)) throw error;
          // Nodes that keep the newest state only cannot be asked about a block that another one has followed.
          if (attempt === ATTEMPTS) throw unavailable(error);
        }
      }
    },
  };
}
