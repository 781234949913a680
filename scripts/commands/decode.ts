import { text } from "node:stream/consumers";
import { Argument, Command, Option } from "commander";
import { decodeCallData, type DecodedCallData, type RowFunction } from "../../server/records/call-data.ts";
import { MAX_ROW_BYTES_OFFLINE } from "../../server/records/compression.ts";
import { ROW_FUNCTIONS } from "../../server/records/api.ts";
import { checkRow } from "../../server/records/row-audit.ts";
import { callDataListing, failedChecks } from "../decode-listing.ts";

/** Invalid call data, or a check that failed. */
const FAILED = 1;

/** Creates the command `decode`. */
export function decodeCommand(): Command {
  const program = new Command("decode")
    .addArgument(new Argument("<hex>", "call data with 0x prefix; - reads standard input"))
    .addOption(new Option("--function <name>", "reject calls of other functions").choices(ROW_FUNCTIONS))
    .option("--json", "print the decoded transaction as JSON")
    .action(async (hex: string, options: { function?: RowFunction; json?: true }) => {
      const inputdata = hex === "-" ? (await text(process.stdin)).trim() : hex;
      const decoded = decodeCallData(inputdata, options.function, MAX_ROW_BYTES_OFFLINE);
      process.stdout.write(`${options.json === true ? asJson(decoded) : callDataListing(decoded)}\n`);
      const failed = failedChecks(checkRow(decoded));
      if (failed.length > 0) process.exitCode = FAILED;
      for (const reason of failed) process.stderr.write(`decode: check failed: ${reason}\n`);
    });

  function asJson(decoded: DecodedCallData): string {
    return JSON.stringify(decoded.transaction, null, 2);
  }

  // A reader such as head can close the pipe early.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

  return program;
}
