import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateDtsBundle } from "dts-bundle-generator";
import { rolldown } from "rolldown";
import { ROOT } from "../../server/kit/program-files.ts";
import { type Package, writeJson } from "./archive.ts";
import { MANIFEST, versionsOf } from "./manifest.ts";

const ENTRY = join(ROOT, "client/index.ts");

/** The client of both APIs, for browsers and Node: one file of JavaScript, and one of declarations. */
export const clientPackage: Package = {
  name: "client",
  async fill(folder) {
    const dependencies = versionsOf(["zod"]);
    const bundle = await rolldown({
      cwd: ROOT,
      input: ENTRY,
      platform: "neutral",
      external: Object.keys(dependencies),
    });
    await bundle.write({ file: join(folder, "index.js"), format: "esm" });
    writeFileSync(join(folder, "index.d.ts"), declarations(Object.keys(dependencies)));
    cpSync(join(ROOT, "scripts/packages/client"), folder, { recursive: true });
    writeJson(join(folder, "package.json"), {
      name: "@sealbook/client",
      version: MANIFEST.version,
      description: "Client of both HTTP APIs of Sealbook, for browsers and Node",
      license: MANIFEST.license,
      type: "module",
      exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
      engines: { node: ">=20" },
      sideEffects: false,
      dependencies,
    });
  },
};

/** Returns what the client exports, with the types of the server's responses, as one file. */
function declarations(importedLibraries: string[]): string {
  const [text] = generateDtsBundle(
    [
      {
        filePath: ENTRY,
        libraries: { importedLibraries },
        output: { exportReferencedTypes: false, noBanner: true },
      },
    ],
    { preferredConfigPath: join(ROOT, "tsconfig.json") },
  );
  if (text === undefined) throw new Error("there are no declarations");
  // A session is disposable; not every project has the declarations of that.
  return `/// <reference lib="esnext.disposable" />\n${text}`;
}
