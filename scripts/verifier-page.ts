// Writes verifier/index.html, the offline verifier as a page; with --check it only says whether it is current.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const FOLDER = new URL("../verifier/", import.meta.url);
const PAGE = new URL("index.html", FOLDER);
/** Where the part of the verifier begins that a page has no use for. */
const COMMAND_LINE = /\/\/ -+\n\/\/ Part 9: the command line\n/;

/** The verifier as a script of a page: it has no exports, no command line and none of the lines that name one. */
function asPageScript(verifier: string): string {
  const end = verifier.search(COMMAND_LINE);
  const begin = verifier.indexOf("// Checks a proof bundle");
  if (begin === -1 || end === -1) throw new Error("verify.mjs has lost the marks around what goes into the page");
  const script = verifier.slice(begin, end).replace(/^export /gm, "");
  if (/<\/script|<!--/i.test(script)) throw new Error("verify.mjs would end the script of the page");
  return script;
}

/** What allows exactly this script and this style, and nothing from anywhere. */
function policyOf(page: string): string {
  const hashOf = (tag: string): string => {
    const [, content] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page) ?? [];
    if (content === undefined) throw new Error(`the page has no ${tag}`);
    return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  };
  return `default-src 'none'; script-src ${hashOf("script")}; style-src ${hashOf("style")}; base-uri 'none'; form-action 'none'`;
}

const [template, verifier] = await Promise.all([
  readFile(new URL("page.html", FOLDER), "utf8"),
  readFile(new URL("verify.mjs", FOLDER), "utf8"),
]);
// Functions, because a replacement text would have its dollars read.
const page = template.replace("{{verifier}}\n", () => asPageScript(verifier));
const current = page.replace("{{policy}}", () => policyOf(page));

if (process.argv.includes("--check")) {
  if ((await readFile(PAGE, "utf8").catch(() => "")) !== current) {
    console.error("verifier/index.html is not current: run npm run verifier-page");
    process.exitCode = 1;
  }
} else {
  await writeFile(PAGE, current);
}
