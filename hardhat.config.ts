import { createRequire } from "node:module";
import hardhatToolboxMochaEthers from "@nomicfoundation/hardhat-toolbox-mocha-ethers";
import { defineConfig } from "hardhat/config";

const solcPath = createRequire(import.meta.url).resolve("solc/soljson.js");

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
  typechain: { outDir: "typechain-types" },
});
