import { existsSync } from "node:fs";
import { Command } from "commander";
import type { Database } from "../../server/journal/engine/database.ts";
import { appendResolution } from "../../server/journal/entries/entry-log.ts";
import { appended, readHead, storedRows } from "../../server/journal/entries/journal-rows.ts";
import { JournalKey, useJournalKey } from "../../server/journal/integrity/journal-key.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { holdDataFolder } from "../../server/composition/data-folder.ts";
import {
  journalKeyFile,
  missingFile,
  openJournalToRead,
  writeJournalKey,
} from "../../server/composition/journal-database.ts";
import { type Config, parseConfig } from "../../server/config/config.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { usingChain } from "../using-chain.ts";
import { findingLine } from "./check-command.ts";
import { interruptible } from "./interruptible.ts";
import type { AnchorQueries } from "./chain-comparison.ts";
import { JournalCheck } from "./journal-check.ts";
import { Stages } from "./stages.ts";

/** How far the chain proves the journal. */
interface ProvedExtent {
  /** The entry of the newest confirmed checkpoint; 0 without one. */
  readonly checkpoint: number;
  readonly newest: number;
}

/** Returns how much of a journal without findings is under a checkpoint on chain. */
async function provedExtent(database: Database): Promise<ProvedExtent> {
  const row = await database
    .selectFrom("anchors")
    .select((e) => e.fn.max("checkpoint").as("checkpoint"))
    .where("confirmation", "is not", null)
    .executeTakeFirst();
  const { sequence } = await readHead(database);
  return { checkpoint: Number(row?.checkpoint ?? 0), newest: sequence };
}

/**
 * Writes all rows of a journal anew under another key, and an entry with the reason, in one transaction.
 * @param onKey Stores the key before the transaction ends
 * @param onEntries Receives the number of entries that are written
 */
async function rekey(
  database: Database,
  key: JournalKey,
  {
    reason,
    extent,
    onKey,
    onEntries,
  }: {
    readonly reason: string;
    readonly extent: ProvedExtent;
    readonly onKey: () => Promise<void>;
    readonly onEntries: (done: number) => void;
  },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    for await (const row of storedRows(transaction, 0, extent.newest)) {
      const code = key.codeOf(appended(row));
      await transaction.updateTable("journal_rows").set({ code }).where("first_sequence", "=", row.first).execute();
      onEntries(row.last);
    }
    useJournalKey(database, key);
    await appendResolution(transaction, {
      divergence: `key: the journal's key was replaced; the chain proves the entries up to ${extent.checkpoint}`,
      reason,
      resolvedAt: Date.now(),
    });
    await onKey();
  });
}

const INTERRUPTED = 130;

interface Options {
  readonly reason: string;
  readonly accept?: true;
}

/** Creates the command `journal rekey`. */
export function rekeyCommand(terminal: Terminal): Command {
  return new Command("rekey")
    .description("Writes the journal under a new key when its key is lost, with all servers stopped.")
    .requiredOption("--reason <text>", "what happened to the key; part of the journal")
    .option("--accept", "accept the entries after the newest checkpoint on chain")
    .addHelpText(
      "after",
      `
Checks the whole journal with the chain first. The chain proves the entries up to the newest checkpoint; those behind it
are as the database has them: without --accept the command only says how many there are.
Exit code: 0 written, 1 findings or entries to accept, 2 wrong usage, 130 interrupted.`,
    )
    .action((options: Options) => run(terminal, options));
}

async function run(terminal: Terminal, options: Options): Promise<void> {
  const config = parseConfig(terminal.variables, { relays: false });
  const missing = missingFile(config.database);
  if (missing !== undefined) throw new CommandFailure(`there is no database at ${missing}`);
  const lock = await holdDataFolder(config.dataDirectory);
  try {
    await usingChain(
      config.chain,
      async ({ rpc, deployment }) => {
        const database = await openJournalToRead(config);
        try {
          const chain = new ProofAnchorClient(rpc, deployment.contracts.ProofAnchor);
          await rekeyChecked(terminal, { config, database, chain, ...options });
        } finally {
          await database.destroy();
        }
      },
      { onlyReads: true },
    );
  } finally {
    lock.release();
  }
}

interface Rekeying extends Options {
  readonly config: Config;
  readonly database: Database;
  readonly chain: AnchorQueries;
}

async function rekeyChecked(terminal: Terminal, { config, database, chain, reason, accept }: Rekeying): Promise<void> {
  const file = journalKeyFile(config);
  // It may be the key of another journal, which would be lost.
  if (existsSync(file)) throw new CommandFailure(`there is a key in ${file}: move it away if it is not the journal's`);
  const onFinding = (finding: Parameters<typeof findingLine>[0]): void =>
    void printLine(terminal, findingLine(finding, false));
  const stages = new Stages();
  const { findings, isComplete } = await interruptible((signal) =>
    JournalCheck.run(
      {
        database,
        chain,
        onFinding,
        onProgress: (done, total) => stages.update("checking entries", "entries", done, total),
      },
      undefined,
      signal,
    ),
  ).finally(() => stages.stop());
  if (!isComplete) return terminal.exit(INTERRUPTED);
  if (findings > 0) throw new CommandFailure("the journal is not whole: restore it first");
  const extent = await provedExtent(database);
  printLine(terminal, `The chain proves the entries up to ${extent.checkpoint} of ${extent.newest}.`);
  const others = extent.newest - extent.checkpoint;
  if (others > 0 && accept !== true)
    throw new CommandFailure(`${others} entries are not proved: accept them with --accept, or restore a replica`);
  const key = JournalKey.generate();
  await rekey(database, key, {
    reason,
    extent,
    onKey: () => writeJournalKey(file, key),
    onEntries: (done) => stages.update("writing rows", "entries", done, extent.newest),
  }).finally(() => stages.stop());
  printLine(terminal, `The journal is written under the key in ${file}.`);
}
