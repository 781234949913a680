import { createRequire } from "node:module";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type Contract, ContractFactory, randomBytes, hexlify } from "ethers";
import * as z from "zod";
import { ProofAnchor__factory } from "../../typechain-types/factories/ProofAnchor__factory.ts";
import { type Evm, startEvm } from "../chain/evm.ts";
import type { Bench } from "../run/bench.ts";
import { atMost } from "../run/result.ts";

const UNIT = "gas a hash";
const SIZES = [1, 10, 100, 1_000];
const MAX_GAS_AT_1000 = 55;

const require = createRequire(import.meta.url);
const Artifact = z.object({ abi: z.array(z.unknown()), bytecode: z.string() });

/** Measures the gas per hash, for Sealbook and for the Ethereum Attestation Service, on the same EVM. */
export async function gas({ report, root }: Bench): Promise<void> {
  await using evm = await startEvm(await mkdtemp(join(root, "evm-")));
  const add = (what: string, total: number, size: number): void => {
    const value = total / size;
    const targets = what === "Sealbook" && size === 1_000 ? [atMost(value, MAX_GAS_AT_1000, UNIT)] : [];
    const name = `${what}, ${size} hash${size === 1 ? "" : "es"} a transaction`;
    report.add({ section: "gas", name, value, unit: UNIT, details: { transaction_gas: total }, targets });
  };
  for (const [what, anchor] of [
    ["Sealbook", await sealbook(evm)],
    ["EAS", await attestationService(evm)],
  ] as const) {
    // The first transaction of a sender and of a contract costs more than the following ones.
    await anchor(1);
    for (const size of SIZES) add(what, await anchor(size), size);
  }
}

const hashes = (size: number): string[] => Array.from({ length: size }, () => hexlify(randomBytes(32)));

async function sealbook(evm: Evm): Promise<(size: number) => Promise<number>> {
  const { data } = await new ProofAnchor__factory().getDeployTransaction(evm.sender, 0, evm.sender);
  const { contractAddress } = await evm.send(undefined, data);
  const abi = ProofAnchor__factory.createInterface();
  return async (size) => {
    const [hash = ""] = hashes(1);
    const call =
      size === 1 ? abi.encodeFunctionData("anchor", [hash]) : abi.encodeFunctionData("anchorBatch", [hash, size]);
    return (await evm.send(contractAddress, call)).gasUsed;
  };
}

async function attestationService(evm: Evm): Promise<(size: number) => Promise<number>> {
  const registry = await deployed(evm, "SchemaRegistry", []);
  const { address, abi } = await deployed(evm, "EAS", [registry.address]);
  return async (size) => {
    const given = hashes(size);
    const call =
      size === 1 ? abi.encodeFunctionData("timestamp", given) : abi.encodeFunctionData("multiTimestamp", [given]);
    return (await evm.send(address, call)).gasUsed;
  };
}

async function deployed(
  evm: Evm,
  name: string,
  parameters: unknown[],
): Promise<{ address: string; abi: Contract["interface"] }> {
  const artifact = Artifact.parse(
    require(`@ethereum-attestation-service/eas-contracts/artifacts/contracts/${name}.sol/${name}.json`),
  );
  const factory = new ContractFactory(JSON.stringify(artifact.abi), artifact.bytecode);
  const { data } = await factory.getDeployTransaction(...parameters);
  const { contractAddress } = await evm.send(undefined, data);
  if (contractAddress === undefined) throw new Error(`${name} was not deployed`);
  return { address: contractAddress, abi: factory.interface };
}
