import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

/** Longest wait of a test for a browser, or for anything in its pages: it ends a test that has failed. */
export const BROWSER_TIMEOUT_MILLISECONDS = 300_000;

const MODULES = join(import.meta.dirname, "../../node_modules");
const PACKAGE = join(MODULES, "@sparticuz/chromium");
/** The browser, its fonts, and the libraries that a system without a desktop lacks. */
const ARCHIVES = ["chromium.br", "fonts.tar.br", "swiftshader.tar.br", "al2023.tar.br"];
/** Unpacks into the temporary folder of its own process, as the package does. */
const UNPACK = `
  import { inflate } from "@sparticuz/chromium";
  await Promise.all(process.argv.slice(1).map((archive) => inflate(archive)));`;

/** Path of another browser, for a platform without one from the packages. */
const GIVEN = process.env["CHROMIUM"];
const PLATFORM = `${process.platform}-${process.arch}`;

/** A suite whose tests need a browser. They are skipped on a platform without one. */
export function describeInBrowser(title: string, suite: (this: Mocha.Suite) => void): void {
  if (GIVEN !== undefined || PLATFORM === "linux-x64") {
    describe(title, suite);
  } else {
    console.log(`Skips "${title}": no package has a browser for ${PLATFORM}. Set CHROMIUM to the path of one.`);
    // eslint-disable-next-line no-restricted-properties -- the run counts its tests as skipped
    describe.skip(title, suite);
  }
}

/** Starts the browser of the development packages, or the one of the variable `CHROMIUM`. */
export async function launchChromium(...args: readonly string[]): Promise<Browser> {
  return chromium.launch({
    ...(GIVEN === undefined ? await packagedBrowser() : { executablePath: GIVEN }),
    timeout: BROWSER_TIMEOUT_MILLISECONDS,
    args: ["--no-sandbox", ...args],
  });
}

let unpacked: Promise<string> | undefined;

async function packagedBrowser(): Promise<LaunchOptions> {
  unpacked ??= unpack();
  const folder = await unpacked;
  return {
    executablePath: join(folder, "chromium"),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, "al2023/lib"),
      FONTCONFIG_FILE: join(folder, "fonts.conf"),
    },
  };
}

/** Unpacks the browser once for each version of its package; returns the folder. */
async function unpack(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8")) as { version: string };
  const folder = join(MODULES, ".cache", `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(join(MODULES, ".cache"), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  const archives = ARCHIVES.map((name) => join(PACKAGE, "bin", name));
  const command = ["--input-type=module", "--eval", UNPACK, ...archives];
  await promisify(execFile)(process.execPath, command, { env: { ...process.env, TMPDIR: fresh } });
  await writeFile(join(fresh, "fonts.conf"), fontConfiguration(folder));
  // Whole or not there: another process may have been faster.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }));
  return folder;
}

/** The browser ends at the first text field when it finds no font. */
function fontConfiguration(folder: string): string {
  const folders = [join(folder, "fonts"), join(MODULES, "dejavu-fonts-ttf/ttf")];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((path) => `  <dir>${path}</dir>`).join("\n")}
  <cachedir>${join(folder, "fonts-cache")}</cachedir>
</fontconfig>
`;
}
