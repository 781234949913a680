import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../server/kit/program-files.ts";

/** The attackers as comments name them, with the headings of their sections, in the order of docs/security.md. */
const ATTACKERS: ReadonlyMap<string, string> = new Map([
  ["network", "Network access to the server"],
  ["machine", "Another user of the same machine"],
  ["database copy", "A copy of the database"],
  ["database", "Write access to the database"],
  ["replica", "Access to a replica"],
  ["relayer key", "The relayer key"],
  ["administrator key", "The administrator key"],
  ["relayer", "The running relayer"],
  ["node", "A validator, or the chain's node"],
  ["log", "Log, metrics and webhooks"],
  ["programs", "Bundled programs"],
  ["panel", "Web panel"],
  ["explorer", "Explorer"],
  ["bot", "Telegram bot"],
]);

// A word after two slashes is enough, so that a misspelt claim is an error and not a comment that nobody collects.
const COMMENT = /^\s*\/\/ Security\b/;
const CLAIM = /^\s*\/\/ Security, ([^:]+): (\S.*)$/;
const TYPESCRIPT_TEST = /^ *it\(\s*(?:"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/;
const SOLIDITY_TEST = /^ *function ((?:test|invariant)\w*)\(/;

export interface SecurityClaim {
  readonly attacker: string;
  readonly claim: string;
  readonly file: string;
  /** Title of the test; `…` stands for inserted values. */
  readonly title: string;
}

/** Creates the tables of docs/security-register.md from the comments above the tests. */
export function securityRegister(): string {
  const claims = globSync("test/**/*.{ts,sol}", { cwd: ROOT })
    .sort()
    .flatMap((file) => claimsIn(file, readFileSync(join(ROOT, file), "utf8")));
  return [...ATTACKERS]
    .map(([attacker, heading]) => {
      const rows = claims.filter((claim) => claim.attacker === attacker).map(rowOf);
      return [`## ${heading}`, "", "| Claim | File | Test |", "|---|---|---|", ...rows].join("\n");
    })
    .join("\n\n");
}

/** Collects the claims of a test file: lines `// Security, ATTACKER: CLAIM` directly above a test. */
export function claimsIn(file: string, source: string): SecurityClaim[] {
  const lines = source.split("\n");
  return lines.flatMap((line, index) => {
    if (!COMMENT.test(line)) return [];
    const fail = (reason: string): never => {
      throw new Error(`${file}:${index + 1}: ${reason}`);
    };
    const [, attacker = "", claim = ""] = CLAIM.exec(line) ?? fail("write // Security, ATTACKER: CLAIM");
    if (!ATTACKERS.has(attacker))
      fail(`the attacker "${attacker}" is unknown; use one of ${[...ATTACKERS.keys()].join(", ")}`);
    let next = index + 1;
    while (COMMENT.test(lines[next] ?? "")) next += 1;
    const title = titleAt(file, lines.slice(next).join("\n")) ?? fail("no test follows this claim");
    return [{ attacker, claim, file, title }];
  });
}

function titleAt(file: string, source: string): string | undefined {
  if (file.endsWith(".sol")) return SOLIDITY_TEST.exec(source)?.[1];
  const [match, plain = "", template = ""] = TYPESCRIPT_TEST.exec(source) ?? [];
  if (match === undefined) return undefined;
  return (plain + template).replaceAll(/\$\{[^}]*\}/g, "…").replaceAll(/\\(.)/g, "$1");
}

function rowOf({ claim, file, title }: SecurityClaim): string {
  const cells = [claim, `[${file.replace("test/", "")}](../${file})`, title];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
