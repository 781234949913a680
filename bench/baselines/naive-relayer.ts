// A baseline: a simple relayer. Every post is a separate transaction, signed and awaited with ethers; nothing is
// stored. The chain is the embedded one, run in this process as the server does. Gas limit and price are fixed, so that
// neither is fetched from the node.
import { createServer } from "node:http";
import { join } from "node:path";
import { hexlify, JsonRpcProvider, Network, NonceManager, randomBytes, Wallet } from "ethers";
import express from "express";
import * as z from "zod";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { startEmbeddedChain } from "../../server/chain/embedded/embedded-chain.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { recordHash } from "../../server/journal/integrity/record-hash.ts";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import { FEES } from "../../test/support/fees.ts";

const CHAIN_ID = 7_327;
const POLLING_MILLISECONDS = 50;
const FREE = { type: 0, gasPrice: 0n, gasLimit: 100_000n } as const;

const Body = z.object({
  document_id: z.string(),
  hash: z.string(),
  metadata: z.object({ type: z.string(), timestamp: z.number(), source: z.string() }),
});

const directory = process.argv[2] ?? "";
const chain = await startEmbeddedChain({
  directory: join(directory, "chain"),
  port: 0,
  portSends: true,
  blockPeriodSeconds: 0,
  chainId: CHAIN_ID,
});
const provider = new JsonRpcProvider(chain.url, CHAIN_ID, {
  staticNetwork: Network.from(CHAIN_ID),
  pollingInterval: POLLING_MILLISECONDS,
});
const relayer = new Wallet(hexlify(randomBytes(32)), provider);
const rpc = connectRpc(chain.url, CHAIN_ID);
const deployment = await deploy({
  rpc,
  administrator: new Wallet(hexlify(randomBytes(32))),
  relayer: relayer.address,
  lifetime: 60,
  minimumToExtend: 15,
  fees: FEES,
  file: deploymentFile(directory, CHAIN_ID),
  onDeployed: () => undefined,
});
rpc.close();
const contract = deployment.contracts.ProofAnchor;
const anchors = ProofAnchor__factory.connect(contract, new NonceManager(relayer));

const app = express();
app.post("/api/v1/proof", express.json(), async (request, response) => {
  const { document_id, hash, metadata } = Body.parse(request.body);
  const { type, timestamp } = metadata;
  const recorded = Buffer.from(
    recordHash({ documentId: document_id, timestamp, type, hash: Buffer.from(hash, "hex") }),
  );
  const receipt = await (await anchors.anchor(recorded, FREE)).wait();
  if (receipt?.status !== 1) throw new Error("the transaction was reverted");
  const id = recorded.toString("hex");
  const { hash: tx_hash, blockNumber: block_number, blockHash: block_hash } = receipt;
  const position = { chain_id: CHAIN_ID, contract, tx_hash, block_number, block_hash };
  response
    .status(201)
    .json({ status: "confirmed", id, proof: { id, document_id, hash, record_hash: id, metadata, ...position } });
});

const server = createServer(app);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") console.log(`listens on http://127.0.0.1:${address?.port}`);
});
process.once("SIGTERM", () => void chain.stop().finally(() => process.exit(0)));
