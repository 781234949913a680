import { cpSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { deploymentFile, readDeployment } from "../../server/chain/contracts/deployment.ts";
import { EMBEDDED_CHAIN_ID } from "../../server/composition/embedded-chain.ts";
import { parseConfig } from "../../server/config/config.ts";
import { readEnv } from "../../server/config/environment.ts";
import { ROOT } from "../../server/kit/program-files.ts";
import { build } from "../deploy/build.ts";
import { type Package, writeJson } from "./archive.ts";
import { MANIFEST, versionsOf } from "./manifest.ts";

/** Chains that begin anew with each start, and that of a server by itself. */
const PRIVATE_CHAINS = [31337, 1337, EMBEDDED_CHAIN_ID];

/** The contracts for other projects. Addresses are those of `DATA_DIR/deployments`. */
export const contractsPackage: Package = {
  name: "contracts",
  async fill(folder) {
    await build();
    cpSync(join(ROOT, "contracts"), folder, { recursive: true });
    cpSync(join(ROOT, "scripts/packages/contracts"), folder, { recursive: true });
    writeAbis(folder);
    emitTypes(folder);
    writeJson(join(folder, "addresses.json"), await addresses());
    writeJson(join(folder, "package.json"), {
      name: "@sealbook/contracts",
      version: MANIFEST.version,
      description: "Contracts that prove later that a record existed on a given day and was not changed",
      license: MANIFEST.license,
      type: "module",
      main: "types/index.js",
      types: "types/index.d.ts",
      dependencies: versionsOf(["@openzeppelin/contracts"]),
      peerDependencies: { ethers: "^6.0.0" },
      peerDependenciesMeta: { ethers: { optional: true } },
    });
  },
};

function writeAbis(folder: string): void {
  mkdirSync(join(folder, "abi"));
  for (const file of globSync("artifacts/contracts/**/*.json", { cwd: ROOT })) {
    const { abi } = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as { readonly abi: readonly unknown[] };
    if (abi.length > 0) writeJson(join(folder, "abi", basename(file)), abi);
  }
}

/** Node strips no types below `node_modules`, so that JavaScript with declarations is packed. */
function emitTypes(folder: string): void {
  const files = globSync("typechain-types/**/*.ts", { cwd: ROOT, exclude: ["typechain-types/hardhat.d.ts"] });
  const program = ts.createProgram(
    files.map((file) => join(ROOT, file)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      declaration: true,
      skipLibCheck: true,
      rootDir: join(ROOT, "typechain-types"),
      outDir: join(folder, "types"),
    },
  );
  const { emitSkipped, diagnostics } = program.emit();
  if (emitSkipped) throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost({})));
}

async function addresses(): Promise<Record<string, unknown>> {
  const { dataDirectory } = parseConfig(readEnv(), { relays: false }).chain;
  const found: Record<string, unknown> = {};
  for (const file of globSync("*.json", { cwd: join(dataDirectory, "deployments") })) {
    const chainId = Number(basename(file, ".json"));
    if (PRIVATE_CHAINS.includes(chainId)) continue;
    const deployment = await readDeployment(deploymentFile(dataDirectory, chainId));
    if (deployment === undefined) continue;
    found[String(chainId)] = { firstBlock: deployment.firstBlock, contracts: deployment.contracts };
  }
  return found;
}
