import { createRequire } from "node:module";
import toolbox from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { configVariable, defineConfig } from "hardhat/config";
import { readEnv } from "./server/config/environment.ts";
import { embeddedChainUrl } from "./server/config/embedded-chain-url.ts";
import { contractBuild } from "./scripts/tasks/build.ts";
import sealbook from "./scripts/tasks/plugin.ts";

const solcPath = createRequire(import.meta.url).resolve("solc/soljson.js");
const { FUZZ_RUNS, FUZZ_SEED, CHAIN_ID, BLOCKSCOUT_URL, ETHERSCAN_URL, SOURCIFY_URL, TYPECHAIN_TYPES } = process.env;
const variables = readEnv();

/** Inputs of each fuzz test of the contracts. */
const fuzzRuns = Number(FUZZ_RUNS ?? 256);
/** The seed is fixed, so that a run repeats. An integer, as the other fuzz tests read it; the runner takes hex. */
const fuzzSeed = `0x${BigInt(FUZZ_SEED ?? 20_261_121).toString(16)}`;

// Hardhat reports the use of its tasks from a terminal unless this is set.
process.env["HARDHAT_DISABLE_TELEMETRY"] = "true";

const compiler = {
  version: "0.8.37",
  // The compiler is an npm package: nothing is downloaded when compiling.
  path: solcPath,
  settings: {
    // No PUSH0: one artifact runs on every network in use.
    evmVersion: "paris",
    optimizer: { enabled: true, runs: 1_000_000 },
    viaIR: true,
  },
};

/**
 * Tests of contracts deploy what the build holds, so their own code need not be small: it compiles in two seconds
 * instead of fourteen. Tests of libraries contain what they test, and are compiled as the contracts are.
 */
const quick = { ...compiler, settings: { ...compiler.settings, viaIR: false } };
const quickTests = ["EventTable", "ProofAnchor", "SessionRegistry", "SessionRegistryInvariants"];
const overrides = Object.fromEntries(quickTests.map((name) => [`test/contracts/${name}.t.sol`, quick]));

/** Explorers at addresses of their own, for `hardhat verify`. It knows those of public chains. */
const explorers = {
  ...(BLOCKSCOUT_URL === undefined ? {} : { blockscout: { url: BLOCKSCOUT_URL, apiUrl: `${BLOCKSCOUT_URL}/api` } }),
  ...(ETHERSCAN_URL === undefined ? {} : { etherscan: { url: ETHERSCAN_URL, apiUrl: `${ETHERSCAN_URL}/api` } }),
};

export default defineConfig({
  plugins: [contractBuild, toolbox, sealbook],
  // Hardhat compiles tests with the first profile, and what Ignition deploys and explorers verify with the second.
  solidity: {
    splitTestsCompilation: true,
    profiles: { default: { compilers: [compiler], overrides }, production: compiler },
  },
  paths: { tests: { solidity: "./test/contracts", mocha: "./test/contracts" } },
  test: {
    mocha: { forbidOnly: true },
    solidity: {
      fuzz: { runs: fuzzRuns, seed: fuzzSeed },
      // Scales with the fuzz tests.
      invariant: { runs: Math.ceil(fuzzRuns / 4), depth: 100, failOnRevert: true },
    },
  },
  // The generated files use namespaces, which `erasableSyntaxOnly` refuses; only their types are imported.
  typechain: { outDir: TYPECHAIN_TYPES ?? "typechain-types", tsNocheck: true },
  chainDescriptors:
    CHAIN_ID === undefined ? {} : { [CHAIN_ID]: { name: `chain ${CHAIN_ID}`, blockExplorers: explorers } },
  verify: {
    etherscan: { apiKey: configVariable("ETHERSCAN_API_KEY") },
    sourcify: SOURCIFY_URL === undefined ? {} : { apiUrl: SOURCIFY_URL },
  },
  networks: {
    sealbook: { type: "http", url: embeddedChainUrl(variables) },
    // There without its address, too, so that what uses it can say what is missing.
    remote: { type: "http", url: variables.RPC_URL?.split(",")[0] ?? configVariable("RPC_URL") },
  },
});
