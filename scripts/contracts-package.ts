// Packs the contracts for other projects, as @sealbook/contracts: npm run pack:contracts [-- FOLDER]
// The archive goes to the folder, `dist` when unset. Addresses are those of DATA_DIR/deployments.
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import ts from "typescript";
import { deploymentFile, readDeployment } from "../server/chain/contracts/deployment.ts";
import { EMBEDDED_CHAIN_ID } from "../server/composition/embedded-chain.ts";
import { parseConfig } from "../server/config/config.ts";
import { readEnv } from "../server/config/environment.ts";
import { ROOT, runHardhat } from "./hardhat.ts";

/** Chains that begin anew with each start, and that of a server by itself. */
const PRIVATE_CHAINS = [31337, 1337, EMBEDDED_CHAIN_ID];

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly version: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

const archives = resolve(process.argv[2] ?? join(ROOT, "dist"));
mkdirSync(archives, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), "sealbook-contracts-"));
try {
  if (!runHardhat("build", "--quiet", "--no-tests").ok) process.exit(1);
  cpSync(join(ROOT, "contracts"), folder, { recursive: true });
  cpSync(join(ROOT, "scripts/contracts-package"), folder, { recursive: true });
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  writeAbis();
  emitTypes();
  writeJson("addresses.json", await addresses());
  writeJson("package.json", {
    name: "@sealbook/contracts",
    version: manifest.version,
    description: "Contracts that prove later that a record existed on a given day and was not changed",
    license: manifest.license,
    type: "module",
    main: "types/index.js",
    types: "types/index.d.ts",
    dependencies: { "@openzeppelin/contracts": manifest.dependencies["@openzeppelin/contracts"] },
    peerDependencies: { ethers: "^6.0.0" },
    peerDependenciesMeta: { ethers: { optional: true } },
  });
  const packed = execFileSync("npm", ["pack", folder, "--silent", "--pack-destination", archives], {
    encoding: "utf8",
  });
  console.log(join(archives, packed.trim()));
} finally {
  rmSync(folder, { recursive: true });
}

function writeAbis(): void {
  mkdirSync(join(folder, "abi"));
  for (const file of globSync("artifacts/contracts/**/*.json", { cwd: ROOT })) {
    const { abi } = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as { readonly abi: readonly unknown[] };
    if (abi.length > 0) writeJson(`abi/${basename(file)}`, abi);
  }
}

/** Node strips no types below `node_modules`, so that JavaScript with declarations is packed. */
function emitTypes(): void {
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

function writeJson(path: string, content: unknown): void {
  writeFileSync(join(folder, path), `${JSON.stringify(content, null, 2)}\n`);
}
