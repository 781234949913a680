import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import type { ChainQueries } from "../../server/journal/check/chain-comparison.ts";
import { type Finding, findingText } from "../../server/journal/check/finding.ts";
import { checkJournal, type CheckResult } from "./journal-check.ts";
import { type Config, parseConfig } from "../../server/config/config.ts";
import { ProofAnchorClient } from "../../server/chain/contracts/proof-anchor-client.ts";
import { reasonOf, SealbookError } from "../../server/errors.ts";
import { hex } from "../../server/kit/bytes.ts";
import { missingFile, type OpenedJournal, openJournalToRead } from "../../server/composition/journal-database.ts";
import { CommandFailure, printLine, type Terminal } from "../commands/run-command.ts";
import { usingChain } from "../using-chain.ts";
import { interruptible } from "./interruptible.ts";
import { Stages } from "./stages.ts";
import { printable } from "../../verifier/verify.mjs";

/** Formats a finding as a line of standard output. */
function findingLine(finding: Finding, json: boolean): string {
  return json ? JSON.stringify({ ...finding, message: findingText(finding) }) : printable(findingText(finding));
}

/** Formats the extent of the check as the last line of output. */
function resultLine(result: CheckResult, queriesChain: boolean, json: boolean): string {
  const { isComplete, to, digest, proofs, confirmations, accounts, checkpoints, pending, compared, findings } = result;
  if (json) {
    return JSON.stringify({
      kind: "result",
      complete: isComplete,
      to,
      proofs,
      confirmations,
      accounts,
      checkpoints,
      pending,
      compared,
      findings,
      digest: hex(digest),
    });
  }
  const chain = queriesChain ? `${compared} confirmations compared with the chain` : "the chain was not queried";
  const verdict = findings === 0 ? "all right" : findings === 1 ? "1 finding" : `${findings} findings`;
  return (
    `${isComplete ? "" : "interrupted: "}entries 1 to ${to}: ${proofs} proofs (${pending} not ` +
    "confirmed yet), " +
    `${confirmations} confirmations (${checkpoints} of the journal itself), ${accounts} accounts; ${chain}: ${verdict}`
  );
}

const FOUND = 1;
/** Exit code of a failed check; 1 means that the check has findings. */
const NOT_CHECKED = 2;
const INTERRUPTED = 130;

/** Delays between the attempts of one query. */
const RETRY_MILLISECONDS = [50, 250, 1_000];

interface Options {
  readonly offline?: true;
  readonly json?: true;
}

/** Creates the command `journal check`. */
export function checkCommand(terminal: Terminal): Command {
  return new Command("check")
    .description("Checks every entry of the journal, what they are found by, and what the chain has of them.")
    .option("--offline", "do not query the chain")
    .option("--json", "print findings, and the result at the end, as lines of JSON")
    .addHelpText(
      "after",
      `
Reports every entry that was changed or removed, or that the chain contradicts, with its number. The check only reads;
entries written during a check are left to the next one. A running server compares what is new by itself.

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
function retried(client: ProofAnchorClient): ChainQueries {
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
  chain: ChainQueries | undefined,
): Promise<void> {
  const { database, key } = await openJournalToRead(config);
  try {
    await checkAll(terminal, { database, key }, options.json === true, chain);
  } finally {
    await database.destroy();
  }
}

async function checkAll(
  terminal: Terminal,
  { database, key }: OpenedJournal,
  json: boolean,
  chain: ChainQueries | undefined,
): Promise<void> {
  const stages = new Stages();
  const deps = {
    database,
    key,
    ...(chain === undefined ? {} : { chain }),
    onFinding: (finding: Finding) => void printLine(terminal, findingLine(finding, json)),
    onProgress: (done: number, total: number) => stages.update("checking entries", "entries", done, total),
  };
  const result = await interruptible((signal) => checkJournal(deps, signal)).finally(() => stages.stop());
  printLine(terminal, resultLine(result, chain !== undefined, json));
  terminal.exit(!result.isComplete ? INTERRUPTED : result.findings > 0 ? FOUND : 0);
}
