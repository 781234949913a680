import { Command } from "commander";
import { type Config, parseConfig } from "../../server/config/config.ts";
import { journalKeyFile, missingFile, openJournalToRead } from "../../server/composition/journal-database.ts";
import { FindingsFile } from "../../server/journal/findings/findings-file.ts";
import { acknowledgedText } from "../../server/journal/findings/open-divergences.ts";
import { causeOf, isAcknowledgeable } from "../../server/journal/findings/subject.ts";
import { hasRowTo } from "../../server/journal/entries/continued.ts";
import { journalSource } from "../../server/journal/entries/entry-source.ts";
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
Reads what the server of DATA_DIR has found, and appends an entry with subject, message and reason to the journal for
each divergence. Running servers end the alert; the same divergence with another message raises a new one. What a repair
ends (entries, index, leaves) is not acknowledged. A "head of RELAYER" ends when the command is run with DATA_DIR of
that relayer: it then has the journal as it is now in DATA_DIR/journal.head.
Exit code: 0 done or listed, 1 nothing to resolve, 2 wrong usage.`,
    )
    .action((subject: string | undefined, options: Options) => resolve(terminal, subject, options));
}

async function resolve(terminal: Terminal, subject: string | undefined, { reason, all }: Options): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false });
  const { divergences: open } = await new FindingsFile(config.dataDirectory).read();
  if (subject === undefined) {
    for (const each of open) printLine(terminal, printable(acknowledgedText(each)));
    return;
  }
  if (reason === undefined || reason.trim() === "") throw new CommandFailure("--reason is needed", BAD_USAGE);
  const chosen = open.filter((each) => (all ? each.subject.startsWith(subject) : each.subject === subject));
  if (chosen.length === 0) throw new CommandFailure(`there is no divergence ${subject}`);
  const repaired = chosen.find((each) => !isAcknowledgeable(each.subject) && causeOf(each.subject) !== "head");
  if (repaired !== undefined)
    throw new CommandFailure(
      `a repair ends ${repaired.subject}, and nothing else: see \`npx sealbook journal restore\``,
    );
  // Nothing is appended to a journal that does not continue what was seen.
  if (chosen.some((each) => causeOf(each.subject) === "head")) await acceptHead(terminal, config);
  for (let first = 0; first < chosen.length; first += AT_ONCE) {
    const divergences = chosen.slice(first, first + AT_ONCE);
    await writeAsOperator(config, { kind: "divergences_resolved", divergences, reason, resolvedAt: Date.now() });
  }
  printLine(
    terminal,
    chosen.length === 1 ? "1 divergence is acknowledged" : `${chosen.length} divergences are acknowledged`,
  );
}

/** Has the relayer of this data folder continue from the journal as it is. */
async function acceptHead(terminal: Terminal, config: Config): Promise<void> {
  const { dataDirectory } = config;
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
  const { database, key } = await openJournalToRead(config);
  try {
    if (key === undefined) throw new CommandFailure(`${journalKeyFile(config)} is missing: restore it from a backup`);
    const file = new HeadFile(dataDirectory);
    const seen = await file.read();
    if (seen === undefined || (await hasRowTo(database, seen))) {
      const text = `the journal continues what ${dataDirectory} has seen`;
      throw new CommandFailure(`${text}: a head is accepted with the DATA_DIR of its relayer`);
    }
    const head = await journalSource(database, key).head();
    await file.write(head);
    printLine(
      terminal,
      `${dataDirectory} had seen entry ${seen.sequence}; now it continues from entry ${head.sequence}`,
    );
  } finally {
    await database.destroy();
  }
}
