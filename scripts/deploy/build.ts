import type { Artifact, ArtifactResolver } from "@nomicfoundation/ignition-core";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { IS_PACKAGE, ROOT } from "../../server/kit/program-files.ts";

/** Compiles the contracts, unless they are compiled. */
export async function build(): Promise<void> {
  if (IS_PACKAGE) return;
  const { default: hre } = await import("hardhat");
  await hre.tasks.getTask("build").run({ quiet: true, noTests: true });
}

/** Returns a contract of the build. */
export async function builtContract(name: string): Promise<Artifact> {
  return JSON.parse(await readFile(join(ROOT, `artifacts/contracts/${name}.sol/${name}.json`), "utf8"));
}

/** Gives Ignition the contracts of the build. */
export const builtContracts: ArtifactResolver = {
  loadArtifact: builtContract,
  async getBuildInfo(name) {
    const { buildInfoId } = await builtContract(name);
    if (buildInfoId === undefined) return undefined;
    return JSON.parse(await readFile(join(ROOT, `artifacts/build-info/${buildInfoId}.json`), "utf8"));
  },
};
