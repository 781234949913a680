import type { Artifact } from "@nomicfoundation/ignition-core";
import { getAddress, getCreateAddress } from "ethers";
import * as z from "zod";
import {
  constructorArgumentsOf,
  type DeployedContract,
  describeCode,
  fetchCode,
} from "../../server/chain/contracts/contract-code.ts";
import { BigQuantity, fetchHead } from "../../server/chain/rpc/query.ts";
import { nodeErrorIn, type Rpc, toQuantity } from "../../server/chain/rpc/rpc.ts";
import {
  type Address,
  CONTRACT_NAMES,
  type ContractAddresses,
  type ContractName,
} from "../../server/chain/transaction.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { fetchBlock } from "../../server/chain/node/node-block.ts";

/**
 * How the code of a contract on chain agrees with the build.
 * - `same`: byte for byte
 * - `other_sources`: the same instructions, compiled from files that differ in comments, names or paths
 * - `different`: other instructions
 */
type CodeMatch = "same" | "other_sources" | "different";

/** Digits of the length of the compiler's data at the end of the code. */
const LENGTH_DIGITS = 4;

/** Compares code on chain, `0x` hex, with that of the build. The values of immutable variables are left out. */
export function matchCode(
  onChain: string,
  { deployedBytecode, immutableReferences = {} }: Pick<Artifact, "deployedBytecode" | "immutableReferences">,
): CodeMatch {
  const immutables = Object.values(immutableReferences).flat();
  const withoutImmutables = (code: string): string =>
    immutables.reduce((text, { start, length }) => {
      const begin = 2 + 2 * start;
      return text.slice(0, begin) + "0".repeat(2 * length) + text.slice(begin + 2 * length);
    }, code);
  const found = withoutImmutables(onChain.toLowerCase());
  const built = withoutImmutables(deployedBytecode.toLowerCase());
  if (found === built) return "same";
  return withoutCompilerData(found) === withoutCompilerData(built) ? "other_sources" : "different";
}

/** Removes the CBOR data with the hash of the sources, whose length is in the last two bytes. */
function withoutCompilerData(code: string): string {
  const bytes = Number.parseInt(code.slice(-LENGTH_DIGITS), 16);
  return code.slice(0, Math.max(2, code.length - LENGTH_DIGITS - 2 * bytes));
}

const Block = z.object({
  transactions: z.array(
    z.object({
      hash: z.string(),
      from: z.string(),
      to: z.string().nullish(),
      nonce: BigQuantity,
      input: z.string(),
    }),
  ),
});

/** Where the contracts of a deployment come from. */
interface Origins {
  /** Number of the block in which the first of them was deployed. */
  readonly firstBlock: number;
  readonly deployed: Partial<Record<ContractName, DeployedContract>>;
}

/** Where a contract comes from, as far as its chain tells. */
interface Origin {
  /** Number of the block in which it was deployed. */
  readonly block: number;
  /** Unset when a contract deployed it, or its code comes from another build. */
  readonly deployed: DeployedContract | undefined;
}

/**
 * Finds the transactions that deployed the contracts.
 * @param blockOf Returns the number of a contract's block; it is searched for when unset
 * @throws CommandFailure when the node keeps no states of old blocks to search in
 */
export async function originsOf(
  rpc: Rpc,
  contracts: ContractAddresses,
  blockOf: (address: Address) => Promise<number | undefined>,
): Promise<Origins> {
  const deployed: Partial<Record<ContractName, DeployedContract>> = {};
  let firstBlock = Number.MAX_SAFE_INTEGER;
  for (const name of CONTRACT_NAMES) {
    const origin = await originOf(rpc, name, contracts[name], await blockOf(contracts[name]));
    if (origin.deployed !== undefined) deployed[name] = origin.deployed;
    firstBlock = Math.min(firstBlock, origin.block);
  }
  return { firstBlock, deployed };
}

async function originOf(rpc: Rpc, name: ContractName, address: Address, block?: number): Promise<Origin> {
  const number = block ?? (await firstBlockOf(rpc, address));
  const found = await fetchBlock(rpc, number, Block, { full: true });
  const transaction = found?.transactions.find(
    ({ to, from, nonce }) => (to ?? null) === null && getCreateAddress({ from, nonce }) === getAddress(address),
  );
  const constructorArguments = constructorArgumentsOf(name, transaction?.input ?? "");
  if (transaction === undefined || constructorArguments === undefined) return { block: number, deployed: undefined };
  const code = describeCode(await fetchCode(rpc, address));
  return { block: number, deployed: { transaction: transaction.hash, block: number, constructorArguments, ...code } };
}

/** Halves the range of blocks in which the contract was deployed until one is left. */
async function firstBlockOf(rpc: Rpc, address: Address): Promise<number> {
  let [without, within] = [-1, await fetchHead(rpc)];
  try {
    while (within - without > 1) {
      const middle = Math.floor((without + within) / 2);
      if ((await fetchCode(rpc, address, toQuantity(middle))) === "0x") without = middle;
      else within = middle;
    }
  } catch (error) {
    const refusal = nodeErrorIn(error);
    if (refusal === undefined) throw error;
    throw new CommandFailure(
      `the node does not show in which block ${address} was deployed (${refusal.message}): set --first-block, or use ` +
        "an archive node",
    );
  }
  return within;
}
