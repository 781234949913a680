import type { ArtifactResolver } from "@nomicfoundation/ignition-core";
import hre from "hardhat";
import type { Artifact } from "hardhat/types/artifacts";
import { readFile } from "node:fs/promises";
import type { ContractName } from "../../server/chain/transaction.ts";

/** Compiles the contracts, unless they are compiled. */
export async function build(): Promise<void> {
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
}

/** Returns a contract of the build. */
export function builtContract(name: ContractName): Promise<Artifact> {
  return hre.artifacts.readArtifact(name);
}

/** Gives Ignition the contracts of the build. */
export const builtContracts: ArtifactResolver = {
  loadArtifact: (name) => hre.artifacts.readArtifact(name),
  async getBuildInfo(name) {
    const id = await hre.artifacts.getBuildInfoId(name);
    const path = id === undefined ? undefined : await hre.artifacts.getBuildInfoPath(id);
    return path === undefined ? undefined : JSON.parse(await readFile(path, "utf8"));
  },
};
