import { z } from "zod";
import type { NodeInspector, NodeReport } from "../domain/ports.ts";
import type { Address } from "../domain/transaction.ts";
import { SealbookError } from "../errors.ts";
import { readBlock, type ValidatorNames } from "./receipts.ts";
import { askQuantity } from "./rpc/quantity.ts";
import { NodeError, type Rpc } from "./rpc/rpc.ts";

const Addresses = z.array(z.string());

/** Consensus protocols whose nodes tell their validators. */
const PROTOCOLS = [
  { protocol: "IBFT 2.0", method: "ibft_getValidatorsByBlockNumber" },
  { protocol: "QBFT", method: "qbft_getValidatorsByBlockNumber" },
] as const;

/** @param relayer whose balance is reported */
export function nodeInspector(rpc: Rpc, relayer: () => Address, names: ValidatorNames): NodeInspector {
  return async () => {
    const [client, head, syncing, peers, balance, { protocol, validators }] = await Promise.all([
      rpc.call("web3_clientVersion", []),
      askQuantity(rpc, "eth_blockNumber", []),
      rpc.call("eth_syncing", []),
      rpc.call("net_peerCount", []).catch(ifNodeError("0x0")),
      rpc.call("eth_getBalance", [relayer(), "latest"]),
      consensusOf(rpc),
    ]);
    const block = await readBlock(rpc, head, names);
    if (block === undefined) throw new SealbookError("chain_unavailable", "the node does not have its own newest block");
    return {
      client: String(client),
      chainId: rpc.chainId,
      blockNumber: block.number,
      blockTime: block.time,
      syncing: syncing !== false,
      peers: Number(peers),
      consensus: {
        protocol,
        validators: validators.map((address) => names.get(address.toLowerCase()) ?? address),
        quorum: Math.ceil((2 * validators.length) / 3),
        proposer: block.validator,
      },
      balance: BigInt(String(balance)),
    };
  };
}

/** BFT networks are asked for their validators; any other chain has none to name. */
async function consensusOf(rpc: Rpc): Promise<Pick<NodeReport["consensus"], "protocol" | "validators">> {
  for (const { protocol, method } of PROTOCOLS) {
    const answer = await rpc.call(method, ["latest"]).catch(ifNodeError(undefined));
    const validators = Addresses.safeParse(answer);
    if (validators.success) return { protocol, validators: validators.data };
  }
  return { protocol: "none", validators: [] };
}

/** A node that lacks a method is still a node; one that does not answer is not. */
function ifNodeError<T>(otherwise: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof NodeError) return otherwise;
    throw error;
  };
}
