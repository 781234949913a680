import { createHash } from "node:crypto";
import { hexlify, id, toQuantity, Wallet } from "ethers";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { BlockHeader, encodeHeader } from "../../server/chain/evidence/block-header.ts";
import { evidenceOf } from "../../server/chain/evidence/anchor-evidence.ts";
import { sendAdministratorCall } from "../../server/chain/transactions/administrator-call.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import type { Bundle } from "../../server/proofs/responses.ts";
import { bundleOf } from "../../server/proofs/bundle.ts";
import { contentOver } from "../../server/journal/integrity/stored-anchor.ts";
import type { Proof, ProofMetadata } from "../../server/proofs/proof.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import { bftRpc, type Sealing } from "./bft-chain.ts";
import { eventually } from "./eventually.ts";
import { startRawAnvil } from "./raw-anvil.ts";
import { FEES } from "./fees.ts";

/** A document to record. */
export interface TestRecord {
  readonly documentId: string;
  readonly document: string;
  readonly metadata: ProofMetadata;
}

/** A node with the anchor contract only. */
export interface EvidenceChain {
  readonly rpc: Rpc;
  readonly contract: string;
  readonly url: string;
  /** Anchors records together; a single record is anchored without a root. */
  anchor(records: readonly TestRecord[], alwaysRoot?: boolean): Promise<Proof[]>;
  /** Anchors several groups of records in one block, with a transaction each. */
  anchorInOneBlock(groups: readonly (readonly TestRecord[])[]): Promise<Proof[][]>;
  /** @param sealing Presents the chain as a BFT network with these seals */
  bundle(proof: Proof, sealing?: Sealing): Promise<Bundle>;
  stop(): Promise<void>;
}

export async function startEvidenceChain(): Promise<EvidenceChain> {
  const anvil = await startRawAnvil();
  const rpc = connectRpc(anvil.http, anvil.chainId);
  const relayer = new Wallet(id("the relayer of the tests"));
  const { data } = await new ProofAnchor__factory().getDeployTransaction(relayer.address, 0, relayer.address);
  const { hash } = await sendAdministratorCall(rpc, relayer, { data, fees: FEES });
  const receipt = await rpc.call("eth_getTransactionReceipt", [hash]);
  if (typeof receipt !== "object" || receipt === null || !("contractAddress" in receipt))
    throw new Error("there is no contract");
  const contract = String(receipt.contractAddress);
  const chain = new ProofAnchorClient(rpc, contract);

  const anchor: EvidenceChain["anchor"] = async (records, alwaysRoot = false) => {
    const hashed = records.map(({ documentId, document, metadata }) => {
      const documentHash = createHash("sha256").update(document).digest();
      const parts = { documentId, timestamp: metadata.timestamp, type: metadata.type ?? "", hash: documentHash };
      return { documentId, hash: documentHash, metadata, acceptedAt: 0, recordHash: recordHash(parts) };
    });
    const { content, tree } = contentOver(
      hashed.map((one) => one.recordHash),
      alwaysRoot,
    );
    const call = hexlify(chain.anchorCall(content).data);
    const transaction = await sendAdministratorCall(rpc, relayer, { to: contract, data: call, fees: FEES });
    const block = { number: transaction.block, hash: new Uint8Array(32), time: 0, validator: "" };
    const outcome = {
      state: "confirmed",
      contract,
      transactionHash: Buffer.from(transaction.hash.slice(2), "hex"),
      block,
    } as const;
    return hashed.map((proof, index) => {
      const merkle = tree && { root: tree.root, leaf: tree.leaf(index), index, path: tree.path(index) };
      return { ...proof, outcome, merkle };
    });
  };

  return {
    rpc,
    contract,
    url: anvil.http,
    anchor,
    async anchorInOneBlock(groups) {
      await rpc.call("evm_setAutomine", [false]);
      const anchored: Promise<Proof[]>[] = [];
      for (const group of groups) {
        anchored.push(anchor(group));
        // The next transaction uses the nonce after the pending ones.
        await eventually(async () => {
          const waiting = await rpc.call("eth_getBlockTransactionCountByNumber", ["pending"]);
          if (Number(waiting) < anchored.length) throw new Error("it does not wait to be mined yet");
        });
      }
      await rpc.call("evm_mine", []);
      await rpc.call("evm_setAutomine", [true]);
      return Promise.all(anchored);
    },
    async bundle(proof, sealing) {
      // The server rejects a block with invalid seals: the header is replaced afterwards.
      const well = sealing && { ...sealing, signers: sealing.validators.keys };
      const anchored = proof.merkle?.root ?? proof.recordHash;
      const client = new ProofAnchorClient(well === undefined ? rpc : bftRpc(rpc, well), contract);
      const evidence = await evidenceOf(client, anchored);
      const bundle = evidence && bundleOf(proof, evidence);
      if (bundle === undefined) throw new Error("there is no evidence");
      if (sealing === undefined) return bundle;
      const { blockNumber } = (await chain.anchorOf(anchored)) ?? {};
      const block = await bftRpc(rpc, sealing).call("eth_getBlockByNumber", [toQuantity(blockNumber ?? 0), false]);
      return { ...bundle, block: { ...bundle.block, header: hexlify(encodeHeader(BlockHeader.parse(block))) } };
    },
    async stop() {
      rpc.close();
      await anvil.stop();
    },
  };
}
