import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { ROOT } from "../../server/kit/program-files.ts";

const Locked = z.looseObject({
  version: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().optional(),
  devDependencies: z.unknown().optional(),
});
const LockFile = z.looseObject({ packages: z.record(z.string(), Locked) });

/** Returns package-lock.json without what only development needs. The product itself has the folder `""`. */
export function productLock(): z.output<typeof LockFile> {
  const { packages, ...lock } = LockFile.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  const needed = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([folder, { devDependencies: _, ...entry }]) => [folder, entry]);
  return { ...lock, packages: Object.fromEntries(needed) };
}
