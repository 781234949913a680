#!/usr/bin/env -S node --max-semi-space-size=32 --heap-growing-percent=60
// Runs a command: `npm run NAME -- ARGUMENTS` and `npx sealbook NAME ARGUMENTS`.
import module from "node:module";
import { join } from "node:path";
import { Command } from "commander";
import { packageVersion, ROOT } from "../server/kit/program-files.ts";
import { processTerminal, runCommand } from "./commands/run-command.ts";
import { COMMANDS, loadCommand } from "./commands/table.ts";
import { isTooOld, OLDEST_NODE } from "./node-version.ts";

if (isTooOld(process.version)) {
  console.error(
    `Sealbook needs Node ${OLDEST_NODE} or newer; this is ${process.version}. ` +
      "npm install and npx sealbook, in one folder, bring one on Linux (x64).",
  );
  process.exit(1);
}
// Not in a folder that other users can write to. Without effect where this one is read-only.
module.enableCompileCache(join(ROOT, "node_modules/.cache/compiled"));
const given = process.argv.slice(2);
const [name, ...args] = given[0] === "help" && given[1] !== undefined ? [given[1], "--help"] : given;
const entry = COMMANDS.find((each) => each.name === name);
if (entry === undefined) {
  const program = new Command("sealbook")
    .description("Commands of Sealbook. Each prints its options with --help.")
    .version(packageVersion());
  for (const { name, description } of COMMANDS) program.command(name).description(description);
  await runCommand(program, name === undefined ? [] : [name]);
} else {
  await runCommand(await loadCommand(entry, processTerminal()), args);
}
