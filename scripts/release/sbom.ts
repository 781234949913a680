import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeJson } from "../packages/archive.ts";
import { productLock } from "../packages/lock.ts";
import { MANIFEST } from "../packages/manifest.ts";

const OPTIONS = ["--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"];

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
    // Files without tools of development: with `--omit dev` npm leaves out what the product needs as well as they do.
    const lock = productLock();
    writeJson(join(product, "package.json"), { ...lock.packages[""], description: MANIFEST.description });
    writeJson(join(product, "package-lock.json"), lock);
    return execFileSync("npm", ["sbom", ...OPTIONS], { cwd: product, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
