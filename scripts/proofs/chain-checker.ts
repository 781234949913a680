import { getBytes, isError } from "ethers";
import { NodeTransaction } from "../../server/chain/node/node-block.ts";
import { query } from "../../server/chain/rpc/query.ts";
import type { ConfirmedProof } from "../../client/index.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { readReceipt } from "../../server/chain/node/receipt.ts";
import { fetchChainId, connectNodes } from "../../server/chain/rpc/connect.ts";
import { shownAddress } from "../../server/chain/rpc/node-address.ts";
import type { PeerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { verifyPath } from "../../server/journal/integrity/merkle.ts";
import { SealbookError } from "../../server/errors.ts";
import { UnreachableError, untilLost, type ProofChecker } from "./checker.ts";

const Transaction = NodeTransaction.pick({ to: true, input: true, blockHash: true });

/** Checks proofs against the chain through JSON-RPC, without the server. */
export function chainChecker(
  urls: readonly [string, ...string[]],
  tls: PeerTlsOptions,
): ProofChecker & { close(): void } {
  let connection: Promise<Rpc> | undefined;
  // Uses the chain id that the node reports.
  const connect = async (): Promise<Rpc> => connectNodes(urls, await fetchChainId(urls, tls), { tls });
  return {
    name: "chain",
    contradiction: untilLost(async (proof) => {
      try {
        return await contradiction(await (connection ??= connect()), proof);
      } catch (error) {
        if (!(error instanceof SealbookError)) throw error;
        if (error.code !== "chain_unavailable") return `the node rejects the request: ${error.message}`;
        throw new UnreachableError(
          `not checked against the chain: the node at ${urls.map(shownAddress).join(", ")} does not respond`,
          { cause: error },
        );
      }
    }),
    close() {
      connection?.then(
        (rpc) => rpc.close(),
        () => undefined,
      );
    },
  };
}

/** Proposers are compared by address. */
const NO_NAMES: ReadonlyMap<string, string> = new Map();

async function contradiction(rpc: Rpc, proof: ConfirmedProof["proof"]): Promise<string | undefined> {
  if (rpc.chainId !== proof.chain_id)
    return `the proof is of chain ${proof.chain_id}, the node is of chain ${rpc.chainId}`;
  const recordHash = getBytes(`0x${proof.record_hash}`);
  const anchored = proof.merkle === undefined ? recordHash : getBytes(proof.merkle.root);
  if (
    proof.merkle !== undefined &&
    !verifyPath(
      recordHash,
      proof.merkle.path.map((hash) => getBytes(hash)),
      anchored,
    )
  ) {
    return "the Merkle path does not lead from the recorded hash to the root";
  }
  const chain = new ProofAnchorClient(rpc, proof.contract);
  const [anchor, block, transaction] = await Promise.all([
    chain.anchorOf(anchored).catch((error: unknown) => {
      // There is no such contract at this address.
      if (isError(error, "BAD_DATA")) return undefined;
      throw error;
    }),
    readReceipt(rpc, proof.tx_hash, NO_NAMES).then((receipt) =>
      receipt?.succeeded === true ? receipt.block : undefined,
    ),
    query(rpc, Transaction, "eth_getTransactionByHash", [proof.tx_hash]),
  ]);

  if (anchor === undefined) return `contract ${proof.contract} has no anchor of the recorded hash`;
  if (block === undefined || transaction === undefined)
    return `the chain has no successful transaction ${proof.tx_hash}`;
  const blockHash = `0x${Buffer.from(block.hash).toString("hex")}`;
  if (block.number !== proof.block_number)
    return `the transaction is in block ${block.number}, not ${proof.block_number}`;
  if (blockHash !== proof.block_hash || transaction.blockHash !== blockHash)
    return `block ${block.number} has the hash ${blockHash}`;
  if (block.time !== proof.timestamp)
    return `the time of block ${block.number} is ${block.time}, not ${proof.timestamp}`;
  // Only addresses are comparable: names are assigned by the server.
  const isAddress = /^0x[0-9a-f]{40}$/i.test(proof.validator);
  if (isAddress && proof.validator.toLowerCase() !== block.validator.toLowerCase())
    return `the proposer of the block is ${block.validator}`;
  if (transaction.to?.toLowerCase() !== proof.contract.toLowerCase())
    return "the transaction was not sent to the contract";
  if (!transaction.input.includes(Buffer.from(anchored).toString("hex")))
    return "the transaction does not contain the recorded hash";
  // The contract keeps the first anchor, which can be earlier than this transaction.
  const agrees =
    anchor.blockNumber < block.number || (anchor.blockNumber === block.number && anchor.time === block.time);
  return agrees
    ? undefined
    : `the contract first anchored the recorded hash in block ${anchor.blockNumber} at ${anchor.time}`;
}
