// Packs what others install: npm run pack -- [NAMES] [--out FOLDER]
import { join, resolve } from "node:path";
import { Argument, Command } from "commander";
import { ROOT } from "../server/kit/program-files.ts";
import { runCommand } from "./commands/run-command.ts";
import { packPackage } from "./packages/archive.ts";
import { PACKAGES } from "./packages/packages.ts";

const names = PACKAGES.map(({ name }) => name);

const program = new Command("pack")
  .description("Packs what others install, and prints the paths of the archives.")
  .addArgument(new Argument("[names...]", "packages").choices(names).default(names))
  .option("--out <dir>", "folder of the archives", join(ROOT, "dist"))
  .action(async (chosen: readonly string[], { out }: { readonly out: string }) => {
    for (const each of PACKAGES.filter(({ name }) => chosen.includes(name)))
      console.log(await packPackage(each, resolve(out)));
  });
await runCommand(program);
