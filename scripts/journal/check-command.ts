import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Finding, findingText } from "./finding.ts";
import { type CheckResult, JournalCheck } from "./journal-check.ts";
import { type Config, parseConfig } from "../../server/config/config.ts";
import { BEGINNING, readResumePoint, type ResumePoint, writeResumePoint } from "./resume-file.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { reasonOf, SealbookError } from "../../server/errors.ts";
import { missingFile, type OpenedJournal, openJournalToRead } from "../../server/composition/journal-database.ts";
import type { AnchorQueries } from "./chain-comparison.ts";
import { journalSource } from "../../server/journal/entries/entry-source.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { usingChain } from "../using-chain.ts";
import { interruptible } from "./interruptible.ts";
import { Stages } from "./stages.ts";
import { printable } from "../../verifier/verify.mjs";

/** Formats a finding as a line of standard output. */
export function findingLine(finding: Finding, json: boolean): string {
  return json ? JSON.stringify({ ...finding, message: findingText(finding) }) : printable(findingText(finding));
}

/** Formats the extent of the check as the last line of output. */
function resultLine({ resumePoint, ...result }: CheckResult, queriesChain: boolean, json: boolean): string {
  const { isComplete, from, to, proofs, confirmations, accounts, checkpoints, pending, compared, findings } = result;
  if (json) {
    const digest = Buffer.from(resumePoint.digest).toString("hex");
    return JSON.stringify({
      kind: "result",
      complete: isComplete,
      from,
      to,
      proofs,
      confirmations,
      accounts,
      checkpoints,
      pending,
      compared,
      findings,
      right_to: resumePoint.sequence,
      digest,
    });
  }
  const chain = queriesChain ? `${compared} confirmations compared with the chain` : "the chain was not queried";
  const verdict = findings === 0 ? "all right" : findings === 1 ? "1 finding" : `${findings} findings`;
  return (
    `${isComplete ? "" : "interrupted: "}entries ${from + 1} to ${to}: ${proofs} proofs (${pending} not ` +
    "confirmed yet), " +
    `${confirmations} confirmations (${checkpoints} of the journal itself), ${accounts} accounts; ${chain}: ${verdict}`
  );
}

const FOUND = 1;
/** Exit code of a failed check; 1 means that the check has findings. */
const NOT_CHECKED = 2;
const INTERRUPTED = 130;
const FILE = "journal-check.json";
/** Interval between writes of the resume file. */
const KEEP_MILLISECONDS = 2_000;

/** Delays between the attempts of one query. */
const RETRY_MILLISECONDS = [50, 250, 1_000];

interface Options {
  readonly offline?: true;
  readonly from?: number;
  readonly resume?: true;
  readonly json?: true;
}

/** Creates the command `journal check`. */
export function checkCommand(terminal: Terminal): Command {
  return new Command("check")
    .description("Checks every entry of the journal, what they are found by, and what the chain has of them.")
    .option("--offline", "do not query the chain")
    .addOption(
      new Option("--from <sequence>", "begin with this entry, trusting the digest that is stored before it")
        .argParser(parseSequence)
        .conflicts("resume"),
    )
    .option("--resume", "begin where the last check found everything right")
    .option("--json", "print findings, and the result at the end, as lines of JSON")
    .addHelpText(
      "after",
      `
Reports every entry that was changed or removed, or that the chain contradicts, with its number. The check only reads;
entries written during a check are left to the next one. ${FILE} in DATA_DIR contains the newest entry that
was checked without findings: --resume trusts that file and does not find later changes of older entries.

Ctrl-C ends the check and stores its progress for --resume.
Exit code: 0 no findings, 1 findings, 2 wrong usage or failed check, 130 interrupted.`,
    )
    .action((options: Options) => check(terminal, options));
}

async function check(terminal: Terminal, options: Options): Promise<void> {
  try {
    const config = parseConfig(terminal.variables, { relays: false });
    const missing = missingFile(config.database);
    if (missing !== undefined) throw new SealbookError("not_found", `there is no database at ${missing}`);
    if (options.offline === true) return await checkIn(terminal, config, options, undefined);
    await usingChain(
      config.chain,
      async ({ rpc, deployment }) => {
        const client = new ProofAnchorClient(rpc, deployment.contracts.ProofAnchor);
        // Of several nodes behind the address, one that lacks a later block lags: the chain does not lack the block.
        await client.newestBlock();
        await checkIn(terminal, config, options, retried(client));
      },
      { onlyReads: true },
    );
  } catch (error) {
    const reason = reasonOf(error);
    const isKnown = error instanceof SealbookError || error instanceof CommandFailure;
    // Other failures, for instance a damaged database file.
    throw new CommandFailure(isKnown ? reason : `the journal could not be checked: ${reason}`, NOT_CHECKED);
  }
}

/** Retries failed queries, so that one failed response does not end a check that runs for hours. */
function retried(client: ProofAnchorClient): AnchorQueries {
  const retry = async <T>(query: () => Promise<T>): Promise<T> => {
    for (const milliseconds of RETRY_MILLISECONDS) {
      try {
        return await query();
      } catch {
        await sleep(milliseconds);
      }
    }
    return query();
  };
  return {
    anchorOf: (...query) => retry(() => client.anchorOf(...query)),
    anchoringBlock: (number) => retry(() => client.anchoringBlock(number)),
  };
}

async function checkIn(
  terminal: Terminal,
  config: Config,
  options: Options,
  chain: AnchorQueries | undefined,
): Promise<void> {
  const { database, key } = await openJournalToRead(config);
  try {
    await checkAll(terminal, { database, key }, config.dataDirectory, options, chain);
  } finally {
    await database.destroy();
  }
}

async function checkAll(
  terminal: Terminal,
  { database, key }: OpenedJournal,
  dataDirectory: string,
  options: Options,
  chain: AnchorQueries | undefined,
): Promise<void> {
  const json = options.json === true;
  const file = join(dataDirectory, FILE);
  const readsChain = chain !== undefined;
  // Entries before --from were not checked, so that no resume point is stored for them.
  const keep = async (resumePoint: ResumePoint): Promise<void> => {
    if (options.from === undefined) await writeResumePoint(file, resumePoint, readsChain);
  };
  const stages = new Stages();
  let keptAt = Date.now();
  let result: CheckResult;
  try {
    const from = await startOf({ database, key }, file, options, readsChain);
    result = await interruptible((signal) =>
      JournalCheck.run(
        {
          database,
          key,
          ...(chain === undefined ? {} : { chain }),
          onFinding: (finding) => void printLine(terminal, findingLine(finding, json)),
          onProgress: (done, total) => stages.update("checking entries", "entries", done, total),
          async onResumePoint(resumePoint) {
            if (Date.now() - keptAt < KEEP_MILLISECONDS) return;
            keptAt = Date.now();
            await keep(resumePoint);
          },
        },
        from,
        signal,
      ),
    );
  } finally {
    stages.stop();
  }
  await keep(result.resumePoint);
  printLine(terminal, resultLine(result, readsChain, json));
  terminal.exit(!result.isComplete ? INTERRUPTED : result.findings > 0 ? FOUND : 0);
}

async function startOf(
  { database, key }: OpenedJournal,
  file: string,
  { from, resume }: Options,
  readsChain: boolean,
): Promise<ResumePoint> {
  if (resume === true) return readResumePoint(file, readsChain);
  if (from === undefined || from <= 1) return BEGINNING;
  const { sequence: newest } = await journalSource(database, key).head();
  if (from > newest)
    throw new CommandFailure(`--from: there is no entry ${from}: the newest is entry ${newest}`, NOT_CHECKED);
  const digest = await journalSource(database, key).digestAt(from - 1);
  if (digest === undefined) throw new RangeError(`entry ${from - 1} of the journal is missing`);
  return { sequence: from - 1, digest, proofs: undefined };
}

function parseSequence(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError("It is not the number of an entry.");
  return Number(text);
}
