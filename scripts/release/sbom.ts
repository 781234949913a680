import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../../server/kit/program-files.ts";
import { writeJson } from "../packages/archive.ts";
import { MANIFEST } from "../packages/manifest.ts";

const OPTIONS = ["--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];
const Entry = z.looseObject({ dev: z.boolean().optional(), devDependencies: z.unknown().optional() });
const Lock = z.looseObject({ packages: z.record(z.string(), Entry) });

/**
 * Returns the software bill of materials in CycloneDX JSON: everything that the packages contain or install, on every
 * system, with versions, licences and hashes of the lock file.
 */
export function billOfMaterials(): string {
  const folder = mkdtempSync(join(tmpdir(), "sealbook-sbom-"));
  try {
    // npm takes the name of the product from the folder.
    const product = join(folder, MANIFEST.name);
    mkdirSync(product);
    writeJson(join(product, "package.json"), withoutDevelopment(Entry.parse(readJson("package.json"))));
    writeJson(join(product, "package-lock.json"), productLock());
    return execFileSync("npm", ["sbom", ...OPTIONS], { cwd: product, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The lock file without what only development needs: with `--omit dev` npm leaves out what both need. */
function productLock(): unknown {
  const { packages, ...lock } = Lock.parse(readJson("package-lock.json"));
  const needed = Object.entries(packages)
    .filter(([, { dev }]) => dev !== true)
    .map(([path, entry]) => [path, withoutDevelopment(entry)]);
  return { ...lock, packages: Object.fromEntries(needed) };
}

function withoutDevelopment({ devDependencies: _, ...entry }: z.output<typeof Entry>): object {
  return entry;
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, file), "utf8"));
}
