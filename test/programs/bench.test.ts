import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import * as z from "zod";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";

const run = promisify(execFile);
const BENCH = join(import.meta.dirname, "../../bench/main.ts");
/** Sections whose short run takes seconds. */
const SECTIONS = ["single", "bare", "bulk", "records", "gas", "size", "memory", "check", "recovery"];

const Figure = z.object({ section: z.string(), name: z.string(), value: z.number().positive() });

describe("the bench", () => {
  let directory: string;
  before(async () => (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  for (const section of SECTIONS)
    it(`has figures of the section ${section}`, async () => {
      const file = join(directory, `${section}.jsonl`);
      await run(process.execPath, [BENCH, "--only", section, "--quick", "--out", file]);
      const [, ...lines] = (await readFile(file, "utf8")).trim().split("\n");
      const figures = lines.map((line) => Figure.parse(JSON.parse(line)));
      assert.isNotEmpty(figures.filter((figure) => figure.section === section));
      // Figures that were measured in one run are compared.
      for (const figure of figures) assert.include([section, "ratio"], figure.section, figure.name);
    });
});
