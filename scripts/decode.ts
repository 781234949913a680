// What a transaction wrote, from its call data alone: no server and no chain is asked.
import { text } from "node:stream/consumers";
import { Argument, Command, CommanderError, Option } from "commander";
import { decodeCallData, type DecodedCallData } from "../server/records/call-data/call-data.ts";
import { ROW_FUNCTIONS, type RowFunction } from "../server/records/decoded-transaction.ts";
import { SealbookError } from "../server/errors.ts";
import { callDataListing } from "./decode-listing.ts";

const BAD_INPUT = 1;
const BAD_USAGE = 2;

const program = new Command("decode")
  .description("Decodes the call data of a transaction that stored a record.")
  .addArgument(new Argument("<hex>", "0x-prefixed call data; - reads it from the standard input"))
  .addOption(new Option("--function <name>", "refuse calls of any other function").choices(ROW_FUNCTIONS))
  .option("--json", "print the decoded transaction as JSON and nothing else")
  .exitOverride()
  .action(async (hex: string, options: { function?: RowFunction; json?: true }) => {
    const inputdata = hex === "-" ? (await text(process.stdin)).trim() : hex;
    const decoded = decodeCallData(inputdata, options.function);
    process.stdout.write(`${options.json === true ? asJson(decoded) : callDataListing(decoded)}\n`);
  });

function asJson(decoded: DecodedCallData): string {
  return JSON.stringify(decoded.transaction, null, 2);
}

// A reader that has seen enough, such as head, is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has said what is wrong; asking for help is no error.
    process.exitCode = error.exitCode === 0 ? 0 : BAD_USAGE;
  } else if (error instanceof SealbookError && error.code === "malformed") {
    process.stderr.write(`decode: ${error.message}\n`);
    process.exitCode = BAD_INPUT;
  } else {
    throw error;
  }
}
