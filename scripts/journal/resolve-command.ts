import { Command } from "commander";
import { type Config, parseConfig } from "../../server/config/config.ts";
import {
  journalKeyFile,
  missingFile,
  openJournalDatabase,
  openJournalToRead,
} from "../../server/composition/journal-database.ts";
import { acknowledgedText, isAcknowledgeable } from "../../server/journal/reconciliation/divergence.ts";
import { continues } from "../../server/journal/reconciliation/head-check.ts";
import { type JournalSource, journalSource } from "../../server/journal/entries/entry-source.ts";
import { HeadFile } from "../../server/journal/integrity/head-file.ts";
import { writeAsOperator } from "../operator-writer.ts";
import { BAD_USAGE, CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { printable } from "../../verifier/verify.mjs";

/** Divergences per transaction, to bound the wait of other writers. */
const AT_ONCE = 500;

interface Options {
  readonly reason?: string;
  readonly all?: true;
}

/** Creates the command `journal resolve`. */
export function resolveCommand(terminal: Terminal): Command {
  return new Command("resolve")
    .description("Acknowledges divergences that an operator has looked into; without a subject it lists them.")
    .argument("[subject]", "subject of a divergence, as in the alert; with --all the beginning of several")
    .option("--reason <text>", "what was found out; part of the journal")
    .option("--all", "all divergences whose subject begins so")
    .addHelpText(
      "after",
      `
Appends an entry with subject, message and reason to the journal for each divergence. Running servers end the alert; the
same divergence with another message raises a new one. A "head of RELAYER" ends when the command is run with DATA_DIR of
that relayer: it then has the journal as it is now in DATA_DIR/journal.head.
Exit code: 0 done or listed, 1 nothing to resolve, 2 wrong usage.`,
    )
    .action((subject: string | undefined, options: Options) => resolve(terminal, subject, options));
}

async function resolve(terminal: Terminal, subject: string | undefined, { reason, all }: Options): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false });
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
  // A list needs no key.
  const { database, key } =
    subject === undefined
      ? { database: await openJournalDatabase(config.database), key: undefined }
      : await openJournalToRead(config);
  try {
    const open = await database.selectFrom("divergences").selectAll().orderBy("found_at").execute();
    if (subject === undefined) {
      for (const each of open) printLine(terminal, printable(acknowledgedText(each)));
      return;
    }
    if (key === undefined) throw new CommandFailure(`${journalKeyFile(config)} is missing: restore it from a backup`);
    if (reason === undefined || reason.trim() === "") throw new CommandFailure("--reason is needed", BAD_USAGE);
    const chosen = open.filter((each) => (all ? each.subject.startsWith(subject) : each.subject === subject));
    if (chosen.length === 0) throw new CommandFailure(`there is no divergence ${subject}`);
    // Nothing is appended to a journal that does not continue what was seen.
    if (chosen.some((each) => !isAcknowledgeable(each.subject)))
      await acceptHead(terminal, config, journalSource(database, key));
    for (let first = 0; first < chosen.length; first += AT_ONCE) {
      const divergences = chosen.slice(first, first + AT_ONCE);
      await writeAsOperator(config, { kind: "divergences_resolved", divergences, reason, resolvedAt: Date.now() });
    }
    printLine(
      terminal,
      chosen.length === 1 ? "1 divergence is acknowledged" : `${chosen.length} divergences are acknowledged`,
    );
  } finally {
    await database.destroy();
  }
}

/** Has the relayer of this data folder continue from the journal as it is. */
async function acceptHead(terminal: Terminal, { dataDirectory }: Config, entries: JournalSource): Promise<void> {
  const file = new HeadFile(dataDirectory);
  const seen = await file.read();
  if (seen === undefined || (await continues(entries, seen))) {
    printLine(terminal, `the journal continues what ${dataDirectory} has seen: nothing is accepted here`);
    return;
  }
  const head = await entries.head();
  await file.write(head);
  printLine(terminal, `${dataDirectory} had seen entry ${seen.sequence}; now it continues from entry ${head.sequence}`);
}
