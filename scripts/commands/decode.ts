import { text } from "node:stream/consumers";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { decodeCallData, type RowFunction } from "../../server/records/call-data.ts";
import { MAX_ROW_BYTES_OFFLINE } from "../../server/records/compression.ts";
import { ROW_FUNCTIONS } from "../../server/records/api.ts";
import { checkRow } from "../../server/records/row-audit.ts";
import { BAD_USAGE, CommandFailure, printLine, type Terminal } from "./run-command.ts";
import { embeddedChainUrl } from "../../server/config/embedded-chain-url.ts";
import { reasonOf } from "../../server/errors.ts";
import { callDataOf, nodeAt, rpcOption } from "../proofs/node-query.ts";
import { callDataListing, failedChecks } from "../decode-listing.ts";

/** Invalid call data, or a check that failed. */
const FAILED = 1;

interface DecodeOptions {
  readonly tx?: string;
  readonly rpc?: string;
  readonly function?: RowFunction;
  readonly json?: true;
}

/** Creates the command `decode`. */
export function decodeCommand(terminal: Terminal): Command {
  return new Command("decode")
    .addArgument(new Argument("[hex]", "call data with 0x prefix; - reads standard input"))
    .addOption(new Option("--tx <hash>", "decode this transaction, which a node returns").argParser(parseHash))
    .addOption(rpcOption())
    .addOption(new Option("--function <name>", "reject calls of other functions").choices(ROW_FUNCTIONS))
    .option("--json", "print the decoded transaction as JSON")
    .addHelpText(
      "after",
      "\nWithout --rpc the node of --tx is the embedded chain's, from CHAIN_PORT or DATA_DIR.\n\n" +
        "Exit code: 0 decoded, 1 invalid data or a check that failed, 2 wrong usage.",
    )
    .action(async (hex: string | undefined, options: DecodeOptions) => {
      const decoded = decodeCallData(await inputOf(hex, options, terminal), options.function, MAX_ROW_BYTES_OFFLINE);
      printLine(
        terminal,
        options.json === true ? JSON.stringify(decoded.transaction, null, 2) : callDataListing(decoded),
      );
      const failed = failedChecks(checkRow(decoded));
      if (failed.length > 0) terminal.exit(FAILED);
      for (const reason of failed) terminal.stderr.write(`decode: check failed: ${reason}\n`);
    });
}

async function inputOf(hex: string | undefined, { tx, rpc }: DecodeOptions, terminal: Terminal): Promise<string> {
  if ((hex === undefined) === (tx === undefined)) throw new CommandFailure("give either call data or --tx", BAD_USAGE);
  if (tx === undefined) return hex === "-" ? (await text(terminal.stdin)).trim() : (hex ?? "");
  const node = nodeAt(rpc ?? embeddedChainUrl(terminal.variables));
  try {
    return await callDataOf(node.query, tx, "the chain");
  } catch (error) {
    throw error instanceof CommandFailure ? error : new CommandFailure(`--tx ${tx}: ${reasonOf(error)}`);
  } finally {
    node.close();
  }
}

function parseHash(value: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError("It must be 0x and 64 hexadecimal digits.");
}
