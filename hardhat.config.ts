import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

const solcPath = createRequire(import.meta.url).resolve("solc/soljson.js");
const { CHAIN_PORT = "8545", RPC_URL } = process.env;

export default defineConfig({
  plugins: [hardhatToolboxMochaEthers],
  solidity: {
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
  // The generated files use namespaces, which `erasableSyntaxOnly` refuses; only their types are imported.
  typechain: { outDir: "typechain-types", tsNocheck: true },
  networks: {
    sealbook: { type: "http", url: `http://127.0.0.1:${CHAIN_PORT}` },
    ...(RPC_URL === undefined ? {} : { remote: { type: "http" as const, url: RPC_URL } }),
  },
});
