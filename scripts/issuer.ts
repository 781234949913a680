// Lists and rotates the keys that sign bundles and attestations. Works with and without a running server; a running
// server switches to the new key by itself.
import { existsSync } from "node:fs";
import { Command } from "commander";
import { parseConfig } from "../server/config/config.ts";
import { readEnv } from "../server/config/environment.ts";
import { holdAdministration } from "../server/composition/data-folder.ts";
import type { IssuerKey } from "../server/proofs/bundle/issuer.ts";
import { keyIdOf } from "../server/proofs/bundle/signed-bundle.ts";
import { IssuerKeys, issuerKeysFile } from "../server/attestation/issuer-keys.ts";
import { CommandFailure, runCommand } from "./proofs/run-command.ts";

interface JsonOption {
  readonly json?: true;
}

/** Opens existing keys. Does not create keys, so that a mistyped folder is an error. */
async function openKeys(dataDirectory: string): Promise<IssuerKeys> {
  const file = issuerKeysFile(dataDirectory);
  if (!existsSync(file))
    throw new CommandFailure(`there are no keys in ${dataDirectory}; start the server once to create them`);
  return IssuerKeys.open(file);
}

function report(keys: readonly IssuerKey[], json?: true): void {
  const rows = keys.map(({ publicKey, createdAt, retiredAt }) => ({
    key_id: keyIdOf(publicKey),
    public_key: Buffer.from(publicKey).toString("hex"),
    created_at: createdAt,
    retired_at: retiredAt ?? null,
  }));
  if (json === true) return console.log(JSON.stringify(rows));
  for (const { key_id, public_key, created_at, retired_at } of rows) {
    console.log([key_id, public_key, created_at, retired_at === null ? "signs" : `retired ${retired_at}`].join("  "));
  }
}

const program = new Command("issuer").description("Lists and rotates the keys that sign bundles and attestations.");

program
  .command("list")
  .description("list all public keys, the signing key first")
  .option("--json", "print a list of {key_id, public_key, created_at, retired_at}")
  .action(async ({ json }: JsonOption) => {
    const { dataDirectory } = parseConfig(readEnv(), { relays: false });
    report(await (await openKeys(dataDirectory)).keys(), json);
  });

program
  .command("rotate")
  .description("create a new signing key; deletes the previous private key and keeps its public key published")
  .option("--json", "print the new list of {key_id, public_key, created_at, retired_at}")
  .action(async ({ json }: JsonOption) => {
    const { dataDirectory } = parseConfig(readEnv(), { relays: false });
    await openKeys(dataDirectory);
    // Prevents a concurrent rotation, which would lose a key.
    const lock = await holdAdministration(dataDirectory);
    try {
      const keys = await openKeys(dataDirectory);
      await keys.rotate();
      report(await keys.keys(), json);
    } finally {
      lock.release();
    }
  });

await runCommand(program);
