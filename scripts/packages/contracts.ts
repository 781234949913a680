import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { EMBEDDED_CHAIN_ID } from "../../server/composition/embedded-chain.ts";
import { readEnv } from "../../server/config/environment.ts";
import { COPIED_LIBRARIES, libraryFile, ROOT } from "../../server/kit/program-files.ts";
import { knownDeployments } from "../known-deployments.ts";
import { build } from "../deploy/build.ts";
import { type Package, writeJson } from "./archive.ts";
import { compile, copy } from "./compile.ts";
import { licenceTexts } from "./licences.ts";
import { MANIFEST, versionsOf } from "./manifest.ts";

/** Chains that begin anew with each start, and that of a server by itself. */
const PRIVATE_CHAINS = [31337, 1337, EMBEDDED_CHAIN_ID];

/** Has WebAssembly in a file of its own; the plugin's other libraries are compiled into it. */
const INSTALLED = ["tiny-secp256k1"];
const BZIP2 = "bzip2-wasm/bzip2-1.0.8/bzip2.wasm";

/** The contracts for other projects. Addresses are those of `DATA_DIR/deployments`. */
export const contractsPackage: Package = {
  name: "contracts",
  async fill(folder) {
    await build();
    cpSync(join(ROOT, "contracts"), folder, { recursive: true });
    cpSync(join(ROOT, "scripts/packages/contracts"), folder, { recursive: true });
    writeAbis(folder);
    emitTypes(folder);
    await bundlePlugin(folder);
    writeJson(join(folder, "addresses.json"), await addresses());
    writeJson(join(folder, "package.json"), {
      name: "@sealbook/contracts",
      version: MANIFEST.version,
      description: "Contracts that prove later that a record existed on a given day and was not changed",
      license: MANIFEST.license,
      type: "module",
      exports: {
        ".": { types: "./types/index.d.ts", default: "./types/index.js" },
        "./hardhat": { types: "./hardhat.d.ts", default: "./hardhat/plugin.js" },
        "./*": "./*",
      },
      dependencies: versionsOf(["@openzeppelin/contracts", ...INSTALLED]),
      peerDependencies: { ethers: "^6.0.0", hardhat: "^3.0.0" },
      peerDependenciesMeta: { ethers: { optional: true }, hardhat: { optional: true } },
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

/** The tasks for Hardhat, with the libraries that they use. */
async function bundlePlugin(folder: string): Promise<void> {
  const compiled = await compile({ plugin: "scripts/tasks/plugin.ts" }, ["hardhat", ...INSTALLED]);
  const names = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" };
  await compiled.write({ dir: join(folder, "hardhat"), format: "esm", ...names });
  copy(libraryFile(BZIP2), join(folder, COPIED_LIBRARIES, BZIP2));
  writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenceTexts());
}

async function addresses(): Promise<Record<string, unknown>> {
  const deployments = (await knownDeployments(readEnv())).filter(({ chainId }) => !PRIVATE_CHAINS.includes(chainId));
  return Object.fromEntries(
    deployments.map(({ chainId, firstBlock, contracts }) => [String(chainId), { firstBlock, contracts }]),
  );
}
