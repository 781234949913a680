import type { Command } from "commander";
import type { Terminal } from "./run-command.ts";

/** A command of `sealbook NAME`, and of `npm run NAME` by a script in package.json. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Page of docs/ about it, with an anchor. */
  readonly page?: string;
  /** Loads the command; each loads other parts of the program. */
  readonly load: () => Promise<(terminal: Terminal) => Command>;
}

/** All commands. Help and docs/commands.md come from this table. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "start",
    description: "Runs the server. Its settings are environment variables.",
    page: "configuration.md",
    load: async () => (await import("./start.ts")).startCommand,
  },
  {
    name: "prove",
    description: "Anchors the SHA-256 of files and stores a bundle of each. Sends only hashes and names to the server.",
    page: "proof-format.md",
    load: async () => (await import("./prove.ts")).proveCommand,
  },
  {
    name: "verify",
    description: "Verifies files against their bundles, as verifier/verify.mjs does. Needs no server.",
    page: "proof-format.md",
    load: async () => (await import("./verify.ts")).verifyCommand,
  },
  {
    name: "decode",
    description:
      "Decodes the call data of stored records, checks their signatures, and compares them with the chain: one call, " +
      "a transaction, blocks or a file.",
    load: async () => (await import("./decode.ts")).decodeCommand,
  },
  {
    name: "recover",
    description: "Compares files restored from a backup with their records. Sends only hashes and names to the server.",
    page: "recovery.md",
    load: async () => (await import("./recover.ts")).recoverCommand,
  },
  {
    name: "deploy",
    description: "Deploys the contracts, and compares deployed ones with the build.",
    page: "contracts.md",
    load: async () => (await import("../deploy/command.ts")).deployCommand,
  },
  {
    name: "account",
    description: "Enrols, lists and revokes accounts, and changes their passwords, with or without a running server.",
    page: "operate.md#accounts",
    load: async () => (await import("./account.ts")).accountCommand,
  },
  {
    name: "apikey",
    description:
      "Creates, lists and revokes keys for the integrity-proof API, which requires one if API_AUTH has apikey.",
    page: "operate.md#api-keys-and-tokens",
    load: async () => (await import("./apikey.ts")).apikeyCommand,
  },
  {
    name: "issuer",
    description: "Lists and rotates the keys that sign bundles and attestations.",
    page: "operate.md#issuer-keys",
    load: async () => (await import("./issuer.ts")).issuerCommand,
  },
  {
    name: "relayer",
    description: "Makes keys of relayers, lists the relayers, grants and revokes their role.",
    page: "operate.md#relayer-key",
    load: async () => (await import("./relayer.ts")).relayerCommand,
  },
  {
    name: "administrator",
    description: "Shows the administrator of the contracts, and transfers the role in two steps.",
    page: "contracts.md#administration",
    load: async () => (await import("./administrator.ts")).administratorCommand,
  },
  {
    name: "journal",
    description: "Checks and restores the journal: the database of accepted and anchored data.",
    page: "operate.md#checking-the-journal",
    load: async () => (await import("./journal.ts")).journalCommand,
  },
  {
    name: "network",
    description: "Creates the files of a permissioned network, prepares changes, and checks the network against them.",
    page: "network.md",
    load: async () => (await import("../../network/command.ts")).networkCommand,
  },
  {
    name: "resync",
    description: "Drops the record index. Stop the server first; its next start rebuilds the index from the chain.",
    load: async () => (await import("./resync.ts")).resyncCommand,
  },
];

/** Loads a command with its description. */
export async function loadCommand({ load, description }: CommandEntry, terminal: Terminal): Promise<Command> {
  return (await load())(terminal).description(description);
}
