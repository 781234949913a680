import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { parseConfig } from "../../server/config/config.ts";
import {
  type AccessScope,
  type ApiKey,
  type ApiKeyStore,
  isValid,
  newApiKey,
} from "../../server/http/access/caller.ts";
import { missingFile, openJournalDatabase } from "../../server/composition/journal-database.ts";
import { apiKeyStore } from "../../server/operations/api-key-store.ts";
import { hex } from "../../server/kit/bytes.ts";
import { writeAsOperator } from "../operator-writer.ts";
import { CommandFailure, type JsonOption, printLine, type Terminal } from "./run-command.ts";

const DAY_MILLISECONDS = 86_400_000;

interface CreateOptions extends JsonOption {
  readonly scope: AccessScope;
  readonly days?: number;
}

type Keys = Pick<ApiKeyStore, "list" | "insert" | "revoke">;

/** Runs work with access to the journal, without the chain. */
async function withKeys({ variables }: Terminal, work: (keys: Keys) => Promise<void>): Promise<void> {
  const config = parseConfig(variables, { relays: false });
  const missing = missingFile(config.database);
  if (missing !== undefined)
    throw new CommandFailure(`there is no database at ${missing}; start the server once to create it`);
  const database = await openJournalDatabase(config.database);
  try {
    await work({
      list: () => apiKeyStore(database).list(),
      async insert({ id, name, scope, digest, createdAt, expiresAt }) {
        const expiry = expiresAt === undefined ? {} : { expiresAt };
        const key = { id, name, scope, digest: hex(digest), createdAt, ...expiry };
        await writeAsOperator(config, { kind: "api_key_added", ...key });
      },
      revoke: (id, revokedAt) => writeAsOperator(config, { kind: "api_key_revoked", id, revokedAt }),
    });
  } finally {
    await database.destroy();
  }
}

function stateOf(key: ApiKey): "valid" | "expired" | "revoked" {
  if (key.revokedAt !== undefined) return "revoked";
  return isValid(key, Date.now()) ? "valid" : "expired";
}

function days(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError("It is not a number of days.");
  return Number(text);
}

function nameOf(text: string): string {
  if (text.trim() === "" || text.length > 100) throw new InvalidArgumentError("It is not 1 to 100 characters long.");
  return text;
}

const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

/** Creates the command `apikey`. */
export function apikeyCommand(terminal: Terminal): Command {
  const program = new Command("apikey");

  program
    .command("create")
    .description("create a key and print it; only its digest is stored")
    .addArgument(new Argument("<name>", "name of the key's user").argParser(nameOf))
    .addOption(
      new Option("--scope <scope>", "write, or read (no proofs and no signed statements)")
        .choices(["read", "write"])
        .default("write"),
    )
    .option("--days <number>", "lifetime in days (default: unlimited)", days)
    .option("--json", "print {key, id, name, scope, expires}")
    .action(async (name: string, { scope, days: lifetime, json }: CreateOptions) => {
      const now = Date.now();
      const { key, text } = newApiKey(
        name,
        scope,
        now,
        lifetime === undefined ? undefined : now + lifetime * DAY_MILLISECONDS,
      );
      await withKeys(terminal, (keys) => keys.insert(key));
      const expires = isoTime(key.expiresAt);
      if (json === true) printLine(terminal, JSON.stringify({ key: text, id: key.id, name, scope, expires }));
      else
        printLine(
          terminal,
          `key      ${text}\nid       ${key.id}\nname     ${name}\nscope    ${scope}\nexpires  ${expires ?? "never"}`,
        );
    });

  program
    .command("list")
    .description("list the keys, oldest first")
    .option("--json", "print a list of {id, name, scope, state, created, expires, revoked}")
    .action(({ json }: JsonOption) =>
      withKeys(terminal, async (keys) => {
        const rows = (await keys.list()).map((key) => ({
          id: key.id,
          name: key.name,
          scope: key.scope,
          state: stateOf(key),
          created: isoTime(key.createdAt),
          expires: isoTime(key.expiresAt),
          revoked: isoTime(key.revokedAt),
        }));
        if (json === true) printLine(terminal, JSON.stringify(rows));
        else if (rows.length === 0) printLine(terminal, "There are no API keys.");
        else
          for (const { id, scope, state, expires, name } of rows)
            printLine(terminal, [id, scope.padEnd(5), state.padEnd(7), expires ?? "never expires", name].join("  "));
      }),
    );

  program
    .command("revoke")
    .description("revoke a key immediately")
    .addArgument(new Argument("<id>", "id of the key, as printed by list"))
    .action((id: string) =>
      withKeys(terminal, async (keys) => {
        if (!(await keys.revoke(id, Date.now()))) throw new CommandFailure(`there is no valid key with the id ${id}`);
        printLine(terminal, `${id} is revoked.`);
      }),
    );

  return program;
}
