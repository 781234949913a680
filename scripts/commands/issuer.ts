import { existsSync } from "node:fs";
import { Command } from "commander";
import { parseConfig } from "../../server/config/config.ts";
import { holdAdministration } from "../../server/composition/data-folder.ts";
import { type IssuerKey, IssuerKeys, issuerKeysFile, readIssuerKeys } from "../../server/issuer/issuer-keys.ts";
import { keyIdOf, publicKeyInfo } from "../../server/issuer/signing-key.ts";
import { readPassword } from "../../server/chain/keys/keystore.ts";
import { CommandFailure, type JsonOption, printLine, type Terminal } from "./run-command.ts";

/** Returns the file of existing keys. Does not create keys, so that a mistyped folder is an error. */
function existingFile(dataDirectory: string): string {
  const file = issuerKeysFile(dataDirectory);
  if (existsSync(file)) return file;
  throw new CommandFailure(`there are no keys in ${dataDirectory}; start the server once to create them`);
}

function report(terminal: Terminal, keys: readonly IssuerKey[], json?: true): void {
  const rows = keys.map(({ publicKey, createdAt, retiredAt }) => ({
    key_id: keyIdOf(publicKey),
    public_key: publicKeyInfo(publicKey),
    created_at: createdAt,
    retired_at: retiredAt ?? null,
  }));
  if (json === true) return printLine(terminal, JSON.stringify(rows));
  for (const { key_id, public_key, created_at, retired_at } of rows) {
    const state = retired_at === null ? "signs" : `retired ${retired_at}`;
    printLine(terminal, [key_id, public_key, created_at, state].join("  "));
  }
}

/** Creates the command `issuer`. */
export function issuerCommand(terminal: Terminal): Command {
  const program = new Command("issuer");

  program
    .command("list")
    .description("list all public keys, the signing key first")
    .option("--json", "print a list of {key_id, public_key, created_at, retired_at}")
    .action(async ({ json }: JsonOption) => {
      const { dataDirectory } = parseConfig(terminal.variables, { relays: false });
      report(terminal, await readIssuerKeys(existingFile(dataDirectory)), json);
    });

  program
    .command("rotate")
    .description("create a new signing key; deletes the previous private key and keeps its public key published")
    .option("--json", "print the new list of {key_id, public_key, created_at, retired_at}")
    .action(async ({ json }: JsonOption) => {
      const { dataDirectory, issuer } = parseConfig(terminal.variables, { relays: false });
      const file = existingFile(dataDirectory);
      // Prevents a concurrent rotation, which would lose a key.
      const lock = await holdAdministration(dataDirectory);
      try {
        const password =
          issuer.keyPasswordFile && (await readPassword("ISSUER_KEY_PASSWORD_FILE", issuer.keyPasswordFile));
        const keys = await IssuerKeys.open(file, { password });
        await keys.rotate();
        report(terminal, await keys.list(), json);
      } finally {
        lock.release();
      }
    });

  return program;
}
