import { createHash } from "node:crypto";
import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTRACT_NAMES } from "../../server/chain/transaction.ts";
import { COPIED_LIBRARIES, LIBRARY_FILES, libraryFile, ROOT } from "../../server/kit/program-files.ts";
import { build, builtContract, builtContracts } from "../deploy/build.ts";
import { buildPanel } from "../panel/build.ts";
import { type Package, writeJson } from "./archive.ts";
import { compile, copy } from "./compile.ts";
import { licenceTexts } from "./licences.ts";
import { MANIFEST, versionsOf } from "./manifest.ts";

/** Libraries with native code, WebAssembly or threads in files of their own. Others are compiled into the program. */
const INSTALLED = ["@napi-rs/canvas", "pino", "pino-pretty", "piscina", "tiny-secp256k1"];

/** The server, the commands and the verifier. Every file has the place that it has in the repository. */
export const sealbookPackage: Package = {
  name: "sealbook",
  async fill(folder) {
    await Promise.all([buildPanel(), build()]);
    await bundle(folder);
    for (const path of [
      "panel/dist",
      "CHANGELOG.md",
      ...globSync("server/journal/engine/*.sql", { cwd: ROOT }),
      ...globSync("verifier/verify.*", { cwd: ROOT }),
    ])
      copy(join(ROOT, path), join(folder, path));
    for (const name of LIBRARY_FILES) copy(libraryFile(name), join(folder, COPIED_LIBRARIES, name));
    await copyArtifacts(folder);
    cpSync(join(ROOT, "scripts/packages/sealbook"), folder, { recursive: true });
    writeFileSync(join(folder, "THIRD-PARTY-LICENSES.txt"), licenceTexts());
    const { name, version, description, license, engines, optionalDependencies } = MANIFEST;
    writeJson(join(folder, "package.json"), {
      ...{ name, version, description, license, engines },
      type: "module",
      bin: { sealbook: "scripts/sealbook.js" },
      exports: {
        "./verifier": { types: "./verifier/verify.d.mts", default: "./verifier/verify.mjs" },
        "./package.json": "./package.json",
      },
      dependencies: versionsOf(INSTALLED),
      optionalDependencies,
    });
  },
};

/** Compiles the program and the modules of its threads, with the libraries as the lock file has them. */
async function bundle(folder: string): Promise<void> {
  const programs = ["scripts/sealbook.ts", ...globSync("{server,air-quality}/**/*-worker.ts", { cwd: ROOT })];
  const input = Object.fromEntries(programs.map((file) => [file.replace(/\.ts$/, ""), file]));
  // Hardhat compiles contracts, which the package has compiled.
  const compiled = await compile(input, [...INSTALLED, "hardhat"]);
  await compiled.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
  });
}

/** The contracts, for `deploy`. Hardhat's ids of a build depend on the folder of the compiler; the package's do not. */
async function copyArtifacts(folder: string): Promise<void> {
  for (const name of CONTRACT_NAMES) {
    const info = await builtContracts.getBuildInfo(name);
    const id = createHash("sha256").update(JSON.stringify(info?.input)).digest("hex");
    const artifacts = join(folder, "artifacts");
    for (const path of ["build-info", `contracts/${name}.sol`]) mkdirSync(join(artifacts, path), { recursive: true });
    writeJson(join(artifacts, `build-info/${id}.json`), { ...info, id });
    const artifact = { ...(await builtContract(name)), buildInfoId: id };
    writeJson(join(artifacts, `contracts/${name}.sol/${name}.json`), artifact);
  }
}
