// Writes verifier/index.html, the offline verifier as a page; with --check, only checks whether it is up to date.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";

const FOLDER = new URL("../verifier/", import.meta.url);
const PAGE = new URL("index.html", FOLDER);
/** Start of the parts of the verifier that the page omits. */
const OMITTED = /\/\/ -+\n\/\/ Part 9: attestations\n/;

/** Converts the verifier to a page script, without exports, attestations and command line. */
function asPageScript(verifier: string): string {
  const end = verifier.search(OMITTED);
  const begin = verifier.indexOf("// Checks a proof bundle");
  if (begin === -1 || end === -1) throw new Error("verify.mjs has no markers around the part for the page");
  const script = verifier.slice(begin, end).replace(/^export /gm, "");
  if (/<\/script|<!--/i.test(script)) throw new Error("verify.mjs contains markup that would end the page's script");
  return script;
}

/** Creates a content security policy that allows only this script and this style. */
function policyOf(page: string): string {
  const hashOf = (tag: string): string => {
    const [, content] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page) ?? [];
    if (content === undefined) throw new Error(`the page has no ${tag}`);
    return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
  };
  return (
    `default-src 'none'; script-src ${hashOf("script")}; style-src ${hashOf("style")}; base-uri 'none'; ` +
    "form-action 'none'"
  );
}

const [template, verifier] = await Promise.all([
  readFile(new URL("page.html", FOLDER), "utf8"),
  readFile(new URL("verify.mjs", FOLDER), "utf8"),
]);
// Functions, because replacement texts interpret dollar signs.
const page = template.replace("{{verifier}}\n", () => asPageScript(verifier));
const current = page.replace("{{policy}}", () => policyOf(page));

if (process.argv.includes("--check")) {
  if ((await readFile(PAGE, "utf8").catch(() => "")) !== current) {
    console.error("verifier/index.html is out of date; run npm run verifier-page");
    process.exitCode = 1;
  }
} else {
  await writeFile(PAGE, current);
}
