import { getBytes } from "ethers";
import type { ConfirmedProof } from "../../client/index.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { fetchChainId, connectNodes, shownAddress } from "../../server/chain/rpc/connect.ts";
import type { PeerTlsOptions } from "../../server/chain/rpc/peer-tls.ts";
import { isContradiction, type Rpc } from "../../server/chain/rpc/rpc.ts";
import { equalBytes, prefixedHex } from "../../server/kit/bytes.ts";
import { verifyPath } from "../../server/journal/integrity/merkle.ts";
import { SealbookError } from "../../server/errors.ts";
import { UnreachableError, untilLost, type ProofChecker } from "./checker.ts";

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
  const [anchor, [mined]] = await Promise.all([
    chain.anchorOf(anchored).catch((error: unknown) => {
      // There is no such contract at this address.
      if (isContradiction(error)) return undefined;
      throw error;
    }),
    chain.chain.transactions([proof.tx_hash.toLowerCase()]),
  ]);

  if (anchor === undefined) return `contract ${proof.contract} has no anchor of the recorded hash`;
  if (mined === undefined || mined === "unfinal" || !mined.transaction.succeeded)
    return `the chain has no successful transaction ${proof.tx_hash}`;
  const { transaction } = mined;
  const block = mined.block.reference;
  const blockHash = prefixedHex(block.hash);
  if (block.number !== proof.block_number)
    return `the transaction is in block ${block.number}, not ${proof.block_number}`;
  if (blockHash !== proof.block_hash) return `block ${block.number} has the hash ${blockHash}`;
  if (block.time !== proof.timestamp)
    return `the time of block ${block.number} is ${block.time}, not ${proof.timestamp}`;
  // Only addresses are comparable: names are assigned by the server.
  const isAddress = /^0x[0-9a-f]{40}$/i.test(proof.validator);
  if (isAddress && proof.validator.toLowerCase() !== block.validator.toLowerCase())
    return `the proposer of the block is ${block.validator}`;
  if (prefixedHex(transaction.to) !== proof.contract.toLowerCase())
    return "the transaction was not sent to the contract";
  if (!equalBytes((await chain.confirmedBy(mined))?.hash, anchored))
    return "the transaction does not contain the recorded hash";
  // The contract keeps the first anchor, which can be earlier than this transaction.
  const agrees =
    anchor.blockNumber < block.number || (anchor.blockNumber === block.number && anchor.time === block.time);
  return agrees
    ? undefined
    : `the contract first anchored the recorded hash in block ${anchor.blockNumber} at ${anchor.time}`;
}
