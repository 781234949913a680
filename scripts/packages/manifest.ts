import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { ROOT } from "../../server/kit/program-files.ts";

const Versions = z.record(z.string(), z.string());
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  description: z.string(),
  license: z.string(),
  engines: Versions,
  dependencies: Versions,
  optionalDependencies: Versions,
});

/** The repository's package.json, whose version is that of all packages. */
export const MANIFEST = Manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

/** Returns packages with the versions that the repository has them in. */
export function versionsOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const version = MANIFEST.dependencies[name];
      if (version === undefined) throw new Error(`package.json has no dependency ${name}`);
      return [name, version];
    }),
  );
}
