// Measures Sealbook and its baselines in one run: see README.md in this folder.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { attempt } from "./run/attempt.ts";
import type { Bench } from "./run/bench.ts";
import { machine } from "./run/machine.ts";
import { killAll } from "./run/processes.ts";
import { Report } from "./run/report.ts";
import { SECTIONS } from "./run/sections.ts";
import { table } from "./run/table.ts";
import { addRatios } from "./sections/ratios.ts";

const INTERRUPTED = 130;
const LONG = { seconds: 20, warmUpSeconds: 5 };
const SHORT = { seconds: 2, warmUpSeconds: 1 };

interface Options {
  readonly only: readonly string[];
  readonly quick?: boolean;
  readonly out?: string;
}

function parseSections(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.filter((name) => !SECTIONS.has(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no section ${unknown.join(", ")}.`);
  return names;
}

async function measure({ only, quick = false, out }: Options): Promise<void> {
  const report = new Report(out);
  const root = await mkdtemp(join(tmpdir(), "sealbook-bench-"));
  const cleanUp = async (): Promise<void> => {
    await killAll();
    await rm(root, { recursive: true, maxRetries: 5 });
  };
  const interrupt = (): void => void cleanUp().finally(() => process.exit(INTERRUPTED));
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);

  report.line({ ...machine(), quick, sections: only });
  const bench: Bench = { report, root, quick, ...(quick ? SHORT : LONG) };
  for (const [name, section] of SECTIONS) {
    if (only.includes(name)) await attempt(report, name, () => section(bench));
  }
  addRatios(report);
  await cleanUp();
  process.stdout.write(`\n${table(report)}\n`);
}

await new Command("bench")
  .description("Measures the server, and what it is compared with, each in processes and folders of their own.")
  .addOption(
    new Option("--only <sections>", "the sections to run, separated by commas")
      .argParser(parseSections)
      .default([...SECTIONS.keys()], "all of them"),
  )
  .option("--quick", "a short run, to see that everything works; its figures mean little")
  .option("--out <file>", "write the figures there as well, as lines of JSON")
  .addHelpText(
    "after",
    `
Sections, in the order in which they run: ${[...SECTIONS.keys()].join(", ")}
README.md in the folder bench describes them. Figures go to the standard output, a line of JSON each, and as
a table in Markdown at the end; progress goes to the standard error.

Exit code: 0 all was measured, whether or not it reaches its target; 1 a section failed, for instance by an error
response.`,
  )
  .action(measure)
  .parseAsync();
