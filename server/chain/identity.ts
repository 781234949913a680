import { setTimeout as sleep } from "node:timers/promises";
import { hexlify, keccak256 } from "ethers";
import { z } from "zod";
import { CONTRACT_NAMES, type ContractAddresses, type ContractName } from "./transaction.ts";
import { fetchBlock, NodeBlock } from "./node/node-block.ts";
import { Hex } from "./rpc/fields.ts";
import { fetchQuantity, parseResponse } from "./rpc/query.ts";
import { NodeError, type Rpc, unavailable } from "./rpc/rpc.ts";

/** A contract and its code. */
export interface ContractIdentity {
  readonly address: string;
  /** keccak-256 of the code, `0x` hex. */
  readonly codeHash: string;
}

/** Identifies a chain, also among chains with the same chain id. */
export interface ChainIdentity {
  readonly chainId: number;
  /** Hash of block 0, `0x` hex. */
  readonly genesisHash: string;
  readonly contracts: Readonly<Record<ContractName, ContractIdentity>>;
}

const Code = Hex.pipe(z.string());
const EMPTY_CODE = keccak256("0x");
/**
 * A node that keeps the newest state only rejects a query for it when a block is mined in the meantime. A healthy node
 * of Besu once returned no code for a moment.
 */
const ATTEMPTS = 5;
const PAUSE_MILLISECONDS = 200;

/**
 * Fetches the identity of the chain that a node serves.
 * @throws SealbookError `chain_unavailable`
 */
export async function fetchIdentity(rpc: Pick<Rpc, "call">, addresses: ContractAddresses): Promise<ChainIdentity> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await fetchOnce(rpc, addresses);
      if (isDeployed(found) || attempt === ATTEMPTS) return found;
      await sleep(PAUSE_MILLISECONDS);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      if (attempt === ATTEMPTS) throw unavailable(error);
    }
  }
}

async function fetchOnce(rpc: Pick<Rpc, "call">, addresses: ContractAddresses): Promise<ChainIdentity> {
  const [chainId, genesis, ...hashes] = await Promise.all([
    fetchQuantity(rpc, "eth_chainId", []),
    fetchBlock(rpc, 0, NodeBlock.pick({ hash: true })),
    ...CONTRACT_NAMES.map(async (name) => {
      const code = await rpc.call("eth_getCode", [addresses[name], "latest"]);
      return keccak256(parseResponse(Code, "eth_getCode", code) ?? "0x");
    }),
  ]);
  if (genesis === undefined) throw unavailable(new Error("the node does not have block 0"));
  const contract = (index: number): ContractIdentity => ({
    address: addresses[CONTRACT_NAMES[index] ?? "ProofAnchor"],
    codeHash: hexlify(hashes[index] ?? EMPTY_CODE),
  });
  return {
    chainId,
    genesisHash: genesis.hash,
    contracts: { SessionRegistry: contract(0), EventTable: contract(1), ProofAnchor: contract(2) },
  };
}

/** Returns whether the chain has every contract. */
export function isDeployed({ contracts }: ChainIdentity): boolean {
  return Object.values(contracts).every(({ codeHash }) => codeHash !== EMPTY_CODE);
}

/** Returns how a chain differs from the expected one; `undefined` when it does not. */
export function differenceOf(expected: ChainIdentity, found: ChainIdentity): string | undefined {
  if (found.chainId !== expected.chainId) return `its chain id is ${found.chainId}, not ${expected.chainId}`;
  if (found.genesisHash !== expected.genesisHash)
    return `the hash of its block 0 is ${found.genesisHash}, not ${expected.genesisHash}`;
  for (const name of CONTRACT_NAMES) {
    const [is, was] = [found.contracts[name], expected.contracts[name]];
    if (is.address !== was.address) return `${name} is at ${is.address}, not at ${was.address}`;
    if (is.codeHash === EMPTY_CODE) return `it has no ${name} at ${is.address}`;
    if (is.codeHash !== was.codeHash) return `the code of ${name} at ${is.address} is another one`;
  }
  return undefined;
}
