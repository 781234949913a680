// Makes a release: docs/architecture.md#release
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, Option } from "commander";
import { ROOT } from "../server/kit/program-files.ts";
import { BUILT_PANEL } from "../server/panel/routes.ts";
import { CommandFailure, runCommand } from "./commands/run-command.ts";
import { packPackage } from "./packages/archive.ts";
import { buildPanel } from "./panel/build.ts";
import { OFFLINE_PAGE } from "./panel/offline-page.ts";
import { licenceTexts } from "./packages/licences.ts";
import { MANIFEST } from "./packages/manifest.ts";
import { PACKAGES } from "./packages/packages.ts";
import { parseHttpUrl, parseKeyId } from "./proofs/options.ts";
import { assertReachable } from "./proofs/server-client.ts";
import { proveFiles, type ProvingServer, withOwnServer } from "./release/proof.ts";
import { billOfMaterials } from "./release/sbom.ts";

const FOLDER = join(ROOT, "dist/release");
const CHECKSUMS = "SHA256SUMS";
const { version } = MANIFEST;
const tag = `v${version}`;

interface Options {
  readonly dryRun?: true;
  readonly url?: string;
  readonly trustKey?: string;
}

await runCommand(
  new Command("release")
    .description(
      `Makes packages, bill of materials, licences, checksums and proofs of them in ${FOLDER}, ` +
        "and prints the commands that publish them.",
    )
    .option("--dry-run", "prove with a server of its own, with an embedded chain")
    .addOption(new Option("--url <address>", "server that proves the release").argParser(parseHttpUrl))
    .addOption(new Option("--trust-key <id>", "id of the issuer's key of that server").argParser(parseKeyId))
    .action(release),
);

async function release({ dryRun, url, trustKey }: Options): Promise<void> {
  if (!readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").includes(`\n## [${version}] - `))
    throw new CommandFailure(`CHANGELOG.md has no chapter of version ${version}`);
  if (dryRun === true) {
    const files = await makeFiles();
    await withOwnServer((server) => prove(files, server));
    return console.log(`The release is in ${FOLDER}`);
  }
  if (url === undefined || trustKey === undefined)
    throw new CommandFailure("--url and --trust-key are needed, or --dry-run");
  if (git("status", "--porcelain") !== "") throw new CommandFailure("there are changes that are not committed");
  if (git("tag", "--list", tag) !== "") throw new CommandFailure(`the tag ${tag} exists`);
  await assertReachable(url);
  const files = await makeFiles();
  prove(files, { url, trustKey });
  console.log("To publish:");
  for (const archive of files.filter((name) => name.endsWith(".tgz")))
    console.log(`  npm publish ${join(FOLDER, archive)} --access public`);
  console.log(`  git tag --annotate ${tag} --message "Sealbook ${version}" && git push origin ${tag}`);
}

/** Writes the files of the release; returns their names. */
async function makeFiles(): Promise<string[]> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  for (const each of PACKAGES) {
    await packPackage(each, FOLDER);
    console.log(`Packed ${each.name}`);
  }
  await buildPanel();
  copyFileSync(join(BUILT_PANEL, OFFLINE_PAGE), join(FOLDER, "sealbook-verify.html"));
  writeFileSync(join(FOLDER, "sbom.cdx.json"), billOfMaterials());
  writeFileSync(join(FOLDER, "THIRD-PARTY-LICENSES.txt"), licenceTexts());
  const files = readdirSync(FOLDER).sort();
  writeFileSync(join(FOLDER, CHECKSUMS), files.map((name) => `${sha256Of(name)}  ${name}\n`).join(""));
  console.log(`Wrote sealbook-verify.html, sbom.cdx.json, THIRD-PARTY-LICENSES.txt and ${CHECKSUMS}`);
  return [...files, CHECKSUMS];
}

function prove(files: readonly string[], server: ProvingServer): void {
  proveFiles(FOLDER, files, `sealbook ${version}/`, server);
}

function sha256Of(name: string): string {
  return createHash("sha256")
    .update(readFileSync(join(FOLDER, name)))
    .digest("hex");
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}
