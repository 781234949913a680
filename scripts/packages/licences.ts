import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../server/kit/program-files.ts";
import { productLock } from "./lock.ts";

const LINE = "=".repeat(80);

/** Returns the licences of all packages of the lock file that are installed and needed at run time, as one text. */
export function licenceTexts(): string {
  const texts = Object.entries(productLock().packages).flatMap(([path, { version, license }]) => {
    if (path === "") return [];
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const files = globSync("{LICEN[CS]E,COPYING,NOTICE}*", { cwd: join(ROOT, path) }).sort();
    const text = files.map((file) => readFileSync(join(ROOT, path, file), "utf8").trim());
    return [[`${name} ${version ?? ""} (${license ?? "no licence named"})`, ...text].join("\n\n")];
  });
  return `${texts.join(`\n\n${LINE}\n\n`)}\n`;
}
