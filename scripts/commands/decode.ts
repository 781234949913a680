import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { ROW_FUNCTIONS } from "../../server/records/api.ts";
import type { RowFunction } from "../../server/records/call-data.ts";
import type { TableContract } from "../../server/records/index.ts";
import { embeddedChainUrl } from "../../server/config/embedded-chain-url.ts";
import { reasonOf, SealbookError } from "../../server/errors.ts";
import type { Address } from "../../server/chain/transaction.ts";
import { parseAddress } from "../address.ts";
import { auditCall, type CallToAudit } from "../decode/audit.ts";
import { auditCalls, type BatchRow, callsOfBlocks, callsOfLines, verdictOfRow } from "../decode/batch.ts";
import { csvHeader, csvLine, jsonLine, textLine } from "../decode/batch-format.ts";
import { knownTables } from "../decode/known-tables.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { AuditedChain, TRANSACTION_HASH } from "../decode/chain.ts";
import { callListing } from "../decode/listing.ts";
import { callReport } from "../decode/report.ts";
import { showProgress } from "../proofs/file-run.ts";
import { nodeAt, rpcOption } from "../proofs/node-query.ts";
import { BAD_USAGE, CommandFailure, printLine, type Terminal, UNDETERMINED } from "./run-command.ts";
import { nodeErrorIn } from "../../server/chain/rpc/rpc.ts";
import { printable } from "../../verifier/verify.mjs";

/** Invalid call data, or a check that failed. */
const FAILED = 1;

interface BlockRange {
  readonly from: number;
  /** The newest block when unset. */
  readonly to?: number;
}

interface DecodeOptions {
  readonly tx?: string;
  readonly blocks?: BlockRange;
  readonly file?: string;
  readonly rpc?: string;
  readonly contract?: Address;
  readonly chainId?: number;
  readonly function?: RowFunction;
  readonly json?: true;
  readonly csv?: true;
}

/** Creates the command `decode`. */
export function decodeCommand(terminal: Terminal): Command {
  return new Command("decode")
    .addArgument(new Argument("[hex]", "call data with 0x prefix; - reads standard input"))
    .addOption(new Option("--tx <hash>", "decode this transaction, which a node returns").argParser(parseHash))
    .addOption(
      new Option("--blocks <range>", "decode all records in these blocks: FROM-TO, or FROM- to the newest").argParser(
        parseRange,
      ),
    )
    .option("--file <file>", "decode each line: call data, or the hash of a transaction; - reads standard input")
    .addOption(rpcOption())
    .addOption(
      new Option("--contract <address>", "event table of call data, or the only one of --blocks").argParser((value) =>
        parseAddress("--contract", value),
      ),
    )
    .addOption(new Option("--chain-id <number>", "chain of --contract, when no node is used").argParser(parseChainId))
    .addOption(new Option("--function <name>", "reject calls of other functions").choices(ROW_FUNCTIONS))
    .option("--json", "print JSON: one object, or one a line for --blocks and --file")
    .option("--csv", "print a table for --blocks and --file")
    .addHelpText(
      "after",
      "\nWithout --rpc, --tx and --blocks query the embedded chain's node, from CHAIN_PORT or DATA_DIR. Call data " +
        "need no\nnode; with --rpc they are compared with the chain. Their event table is --contract, or that of the " +
        "deployment in\nDATA_DIR. A signature of a contract account counts when the chain has its row.\n\n" +
        "Exit code: 0 decoded, 1 invalid data or a check that failed, 2 wrong usage,\n" +
        "3 undetermined: the chain could not be queried, or the signature could not be checked.",
    )
    .action((hex: string | undefined, options: DecodeOptions) => run(terminal, hex, options));
}

async function run(terminal: Terminal, hex: string | undefined, options: DecodeOptions): Promise<void> {
  const { tx, blocks, file } = options;
  if ([hex, tx, blocks, file].filter((source) => source !== undefined).length !== 1)
    throw new CommandFailure("give one of call data, --tx, --blocks and --file", BAD_USAGE);
  if (hex !== undefined && TRANSACTION_HASH.test(hex))
    throw new CommandFailure(`this is the hash of a transaction, no call data: --tx ${hex} decodes it`, BAD_USAGE);
  if (options.csv && (options.json || (blocks === undefined && file === undefined)))
    throw new CommandFailure("--csv is for --blocks or --file, without --json", BAD_USAGE);
  const node = nodeOf(terminal, options);
  try {
    const chain = node && (await AuditedChain.open({ call: node.query }));
    if (chain !== undefined && options.chainId !== undefined && options.chainId !== chain.chainId)
      throw new CommandFailure(`--chain-id is ${options.chainId}, but the node is of chain ${chain.chainId}`);
    if (blocks !== undefined || file !== undefined) await decodeBatch(terminal, options, chain);
    else await decodeOne(terminal, hex, options, chain);
  } catch (error) {
    if (error instanceof SealbookError && error.code === "chain_unavailable") {
      const place = tx === undefined ? "" : `--tx ${tx}: `;
      throw new CommandFailure(`undetermined: ${place}${explained(error)}`, UNDETERMINED);
    }
    if (error instanceof CommandFailure || error instanceof SealbookError) throw error;
    throw new CommandFailure(tx === undefined ? reasonOf(error) : `--tx ${tx}: ${reasonOf(error)}`);
  } finally {
    node?.close();
  }
}

/** Opens the node of what is read from a chain, or compared with it; `undefined` for call data alone. */
function nodeOf({ variables }: Terminal, { tx, blocks, rpc, contract, chainId }: DecodeOptions) {
  if (tx !== undefined || blocks !== undefined) return nodeAt(rpc ?? embeddedChainUrl(variables));
  if (rpc !== undefined) return nodeAt(rpc);
  if (contract !== undefined && chainId === undefined)
    throw new CommandFailure("--contract needs --chain-id, or a node: --rpc", BAD_USAGE);
  if (contract === undefined && chainId !== undefined)
    throw new CommandFailure("--chain-id needs --contract", BAD_USAGE);
  return undefined;
}

async function decodeOne(
  terminal: Terminal,
  hex: string | undefined,
  options: DecodeOptions,
  chain: AuditedChain | undefined,
): Promise<void> {
  const audited = await auditCall(await callOf(hex, options, terminal, chain), options.function, chain);
  printLine(terminal, options.json === true ? JSON.stringify(callReport(audited), null, 2) : callListing(audited));
  const { warnings, failed, undetermined } = audited;
  if (failed.length > 0) terminal.exit(FAILED);
  else if (undetermined.length > 0) terminal.exit(UNDETERMINED);
  for (const warning of warnings) terminal.stderr.write(`decode: warning: ${warning}\n`);
  for (const reason of failed) terminal.stderr.write(`decode: check failed: ${reason}\n`);
  for (const reason of undetermined) terminal.stderr.write(`decode: undetermined: ${reason}\n`);
}

async function callOf(
  hex: string | undefined,
  { tx, ...options }: DecodeOptions,
  { stdin, variables }: Terminal,
  chain: AuditedChain | undefined,
): Promise<CallToAudit> {
  if (tx === undefined) {
    const inputdata = hex === "-" ? (await text(stdin)).trim() : (hex ?? "");
    return { inputdata, ...(await placeOf(options, variables, chain)) };
  }
  const transaction = await chain?.transaction(tx);
  if (transaction === undefined) throw new CommandFailure(`the chain has no transaction ${tx}`);
  return { inputdata: transaction.input, transaction, named: namedTable(options, chain) };
}

/** Returns the event table that the options name, if they do. */
function namedTable({ contract, chainId }: DecodeOptions, chain: AuditedChain | undefined): TableContract | undefined {
  const id = chain?.chainId ?? chainId;
  return contract === undefined || id === undefined ? undefined : { chainId: id, address: contract };
}

/** Returns the event table that the options name, else those of the deployments in `DATA_DIR`. */
async function placeOf(
  options: DecodeOptions,
  variables: EnvironmentVariables,
  chain: AuditedChain | undefined,
): Promise<Pick<CallToAudit, "named" | "known">> {
  const named = namedTable(options, chain);
  return named === undefined ? { known: await knownTables(variables, chain?.chainId) } : { named };
}

async function decodeBatch(terminal: Terminal, options: DecodeOptions, chain: AuditedChain | undefined): Promise<void> {
  const format: (row: BatchRow) => string = options.csv ? csvLine : options.json ? jsonLine : textLine;
  if (options.csv) printLine(terminal, csvHeader());
  let rows = 0;
  let failed = 0;
  let undetermined = 0;
  const { calls, place } = await batchOf(terminal, options, chain);
  for await (const row of auditCalls(calls, options.function, chain)) {
    printLine(terminal, format(row));
    rows += 1;
    const verdict = verdictOfRow(row);
    if (verdict === "failed") failed += 1;
    if (verdict === "undetermined") undetermined += 1;
  }
  const open = undetermined === 0 ? "" : `, ${undetermined} undetermined`;
  terminal.stderr.write(`decode: ${rows} calls, ${failed} failed${open}${place}\n`);
  if (failed > 0) terminal.exit(FAILED);
  else if (undetermined > 0) terminal.exit(UNDETERMINED);
}

/** Returns the calls, and where they are from, for the summary. */
async function batchOf(terminal: Terminal, options: DecodeOptions, chain: AuditedChain | undefined) {
  const { blocks, file, contract } = options;
  if (blocks === undefined || chain === undefined) {
    const place = await placeOf(options, terminal.variables, chain);
    const input = file === "-" || file === undefined ? terminal.stdin : createReadStream(file);
    return { calls: callsOfLines(input, place, chain), place: "" };
  }
  const newest = await chain.newestBlock();
  const to = Math.min(blocks.to ?? newest, newest);
  if (blocks.from > to) throw new CommandFailure(`the newest block is ${newest}`);
  return { calls: withProgress(blocks.from, to, chain, contract), place: `, in blocks ${blocks.from} to ${to}` };
}

async function* withProgress(from: number, to: number, chain: AuditedChain, contract: Address | undefined) {
  const progress = showProgress("decoding", to - from + 1, "blocks");
  try {
    yield* callsOfBlocks(chain, from, to, contract, (count) => progress.tick(count));
  } finally {
    progress.stop();
  }
}

/** Returns a failure with the words of the node, which the user has named. */
function explained(error: SealbookError): string {
  const words = nodeErrorIn(error)?.message;
  return words === undefined ? error.message : `${error.message}: ${printable(words)}`;
}

function parseHash(value: string): string {
  if (TRANSACTION_HASH.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError("It must be 0x and 64 hexadecimal digits.");
}

function parseRange(value: string): BlockRange {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})?$/.exec(value) ?? [];
  if (from === undefined) throw new InvalidArgumentError("It must be FROM-TO, or FROM-.");
  const range = { from: Number(from), ...(to === undefined ? {} : { to: Number(to) }) };
  if ((range.to ?? range.from) < range.from) throw new InvalidArgumentError("The first block is after the last.");
  return range;
}

function parseChainId(value: string): number {
  if (/^[1-9]\d{0,15}$/.test(value) && Number.isSafeInteger(Number(value))) return Number(value);
  throw new InvalidArgumentError("It must be a number from 1.");
}
