import { text } from "node:stream/consumers";
import { Argument, Command, Option } from "commander";
import { decodeCallData, type RowFunction } from "../../server/records/call-data.ts";
import { MAX_ROW_BYTES_OFFLINE } from "../../server/records/compression.ts";
import { ROW_FUNCTIONS } from "../../server/records/api.ts";
import { checkRow } from "../../server/records/row-audit.ts";
import { printLine, type Terminal } from "./run-command.ts";
import { callDataListing, failedChecks } from "../decode-listing.ts";

/** Invalid call data, or a check that failed. */
const FAILED = 1;

/** Creates the command `decode`. */
export function decodeCommand(terminal: Terminal): Command {
  return new Command("decode")
    .addArgument(new Argument("<hex>", "call data with 0x prefix; - reads standard input"))
    .addOption(new Option("--function <name>", "reject calls of other functions").choices(ROW_FUNCTIONS))
    .option("--json", "print the decoded transaction as JSON")
    .action(async (hex: string, options: { function?: RowFunction; json?: true }) => {
      const inputdata = hex === "-" ? (await text(terminal.stdin)).trim() : hex;
      const decoded = decodeCallData(inputdata, options.function, MAX_ROW_BYTES_OFFLINE);
      printLine(
        terminal,
        options.json === true ? JSON.stringify(decoded.transaction, null, 2) : callDataListing(decoded),
      );
      const failed = failedChecks(checkRow(decoded));
      if (failed.length > 0) terminal.exit(FAILED);
      for (const reason of failed) terminal.stderr.write(`decode: check failed: ${reason}\n`);
    });
}
