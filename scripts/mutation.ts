/**
 * Changes one thing at a time in the contracts, and runs their tests against each such mutant. A mutant that survives
 * shows a behaviour that no test checks, and fails the run.
 */
import { createHash } from "node:crypto";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Argument, Command, InvalidArgumentError } from "commander";
import { ROOT } from "../server/kit/program-files.ts";
import { EQUIVALENT } from "./mutation/equivalent.ts";
import { type Mutant, mutantsOf, withoutEquivalent } from "./mutation/mutants.ts";
import { type Verdict, Workspace } from "./mutation/workspace.ts";

const INTERRUPTED = 130;
/** Files by the name of their contract. Interfaces have no code, examples are not deployed. */
const FILES = new Map(
  globSync(["contracts/*.sol", "contracts/libraries/*.sol"], { cwd: ROOT })
    .sort()
    .map((file) => [basename(file, ".sol"), file]),
);

interface Options {
  readonly sample?: number;
  readonly seed: string;
  readonly jobs: number;
}

function parseCount(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError("It is not a positive integer.");
  return Number(text);
}

/** Returns `count` of the mutants in their order; the same for the same seed. */
function sampleOf(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const rank = ({ file, line, mutated }: Mutant): string =>
    createHash("sha256")
      .update(JSON.stringify([seed, file, line, mutated]))
      .digest("hex");
  const last = mutants.map(rank).sort()[count - 1];
  return mutants.filter((mutant) => last === undefined || rank(mutant) <= last);
}

function describe({ file, line, original, mutated }: Mutant): string {
  return `${file}:${line}\n    - ${original}\n    + ${mutated}`;
}

/** Judges the mutants with one workspace per job, and prints each verdict. */
async function judgeAll(workspaces: readonly Workspace[], mutants: readonly Mutant[]): Promise<Map<Mutant, Verdict>> {
  const verdicts = new Map<Mutant, Verdict>();
  const begin = Date.now();
  const waiting = mutants.values();
  const work = async (workspace: Workspace): Promise<void> => {
    for (const mutant of waiting) {
      const verdict = await workspace.judge(mutant);
      verdicts.set(mutant, verdict);
      const seconds = Math.round((Date.now() - begin) / 1000);
      const place = verdict === "survived" ? describe(mutant) : `${mutant.file}:${mutant.line}`;
      console.log(`${verdicts.size} of ${mutants.length}, ${seconds} s: ${verdict}, ${place}`);
    }
  };
  await Promise.all(workspaces.map(work));
  return verdicts;
}

/** Prints the numbers and the survivors. */
function report(verdicts: ReadonlyMap<Mutant, Verdict>): void {
  const groups = Map.groupBy(verdicts.keys(), (mutant) => verdicts.get(mutant));
  const survivors = groups.get("survived") ?? [];
  if (survivors.length > 0)
    console.log(`\nSurvived:\n${survivors.map((mutant) => `  ${describe(mutant)}`).join("\n")}`);
  console.log(`\n${[...groups].map(([verdict, group]) => `${group.length} ${verdict}`).join(", ")}`);
}

async function run(names: readonly string[], { sample, seed, jobs }: Options): Promise<void> {
  const files = [...FILES].filter(([name]) => names.length === 0 || names.includes(name)).map(([, file]) => file);
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), "utf8")));
  const { mutants, unused } = withoutEquivalent(all, EQUIVALENT);
  const chosen = sample === undefined ? mutants : sampleOf(mutants, sample, seed);
  console.log(`${all.length} mutants, ${all.length - mutants.length} listed as equivalent, ${chosen.length} to judge`);
  for (const entry of unused) console.error(`equivalent.ts: no mutant of ${entry.file} is ${entry.mutated}`);

  const folder = mkdtempSync(join(tmpdir(), "sealbook-mutation-"));
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    const first = await Workspace.create(join(folder, "0"), interruption.signal);
    const others = Array.from({ length: jobs - 1 }, (_, index) => first.another(join(folder, String(index + 1))));
    const verdicts = await judgeAll([first, ...others], chosen);
    report(verdicts);
    if (unused.length > 0 || [...verdicts.values()].includes("survived")) process.exitCode = 1;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    process.exitCode = INTERRUPTED;
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

await new Command("mutation")
  .description("Runs the tests of the contracts against mutants of the contracts.")
  .addArgument(new Argument("[contracts...]", "those to change; without one, all").choices([...FILES.keys()]))
  .option("--sample <count>", "judge only so many mutants, chosen at random", parseCount)
  .option("--seed <text>", "another seed chooses other mutants", "1")
  .option("--jobs <count>", "mutants that are judged at a time", parseCount, availableParallelism())
  .action(run)
  .parseAsync();
