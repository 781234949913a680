import { emptyTask, task } from "hardhat/config";
import type { HardhatPlugin } from "hardhat/types/plugins";
import { PROOFS_DIRECTORY } from "../proofs/options.ts";

/** The commands that are Hardhat tasks, too: they use the network of `--network`. */
const sealbook: HardhatPlugin = {
  id: "sealbook",
  // In its package it needs none of the peers: its libraries are compiled into it.
  npmPackage: null,
  tasks: [
    emptyTask("sealbook", "Decodes stored records, and verifies files against the chain").build(),
    task(["sealbook", "decode"], "Decodes the call data of a transaction that stored a record")
      .addPositionalArgument({ name: "data", description: "call data with 0x prefix, or the hash of a transaction" })
      .addOption({ name: "contract", description: "event table that has to have the row", defaultValue: "" })
      .addFlag({ name: "json", description: "print the decoded transaction as JSON" })
      .setAction(() => import("./decode.ts"))
      .build(),
    task(["sealbook", "verify"], "Verifies files against their bundles and the chain")
      .addVariadicArgument({ name: "files", description: "files, or folders with all their files" })
      .addOption({ name: "proofs", description: "folder of the bundles", defaultValue: PROOFS_DIRECTORY })
      .addFlag({ name: "json", description: "print the report as JSON" })
      .setAction(() => import("./verify.ts"))
      .build(),
  ],
};

export default sealbook;
