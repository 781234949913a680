import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";

const solcPath = createRequire(import.meta.url).resolve("solc/soljson.js");
const { CHAIN_PORT = "8545", FUZZ_SEED, RPC_URL } = process.env;

/**
 * TypeChain lists the contracts as it is given them: in the order of a folder's entries, which depends on the disk
 * and on what was compiled before. Sorted, the generated files are the same everywhere.
 */
const sortArtifacts: HardhatPlugin = {
  id: "sort-artifacts",
  hookHandlers: {
    solidity: async () => ({
      default: async () => ({
        async processArtifactsAfterSuccessfulBuild(_context, artifactPaths) {
          // Hardhat hands one array to all plugins, and to this one first.
          (artifactPaths as string[]).sort();
        },
      }),
    }),
  },
};

export default defineConfig({
  plugins: [sortArtifacts, hardhatToolboxMochaEthers],
  solidity: {
    splitTestsCompilation: true,
    version: "0.8.37",
    // The compiler is an npm package: nothing is downloaded when compiling.
    path: solcPath,
    settings: {
      // No PUSH0: one artifact runs on every network in use.
      evmVersion: "paris",
      optimizer: { enabled: true, runs: 1_000_000 },
      viaIR: true,
    },
  },
  paths: { tests: { solidity: "./test/contracts", mocha: "./test/contracts" } },
  test: {
    solidity: {
      // The seed is always the same, so that a run repeats; FUZZ_SEED=0x... tries another.
      fuzz: { runs: 256, ...(FUZZ_SEED === undefined ? {} : { seed: FUZZ_SEED }) },
      invariant: { runs: 64, depth: 100, failOnRevert: true },
    },
  },
  // The generated files use namespaces, which `erasableSyntaxOnly` refuses; only their types are imported.
  typechain: { outDir: "typechain-types", tsNocheck: true },
  networks: {
    sealbook: { type: "http", url: `http://127.0.0.1:${CHAIN_PORT}` },
    ...(RPC_URL === undefined ? {} : { remote: { type: "http" as const, url: RPC_URL.split(",")[0] ?? RPC_URL } }),
  },
});
