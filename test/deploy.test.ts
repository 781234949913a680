import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { assert } from "chai";
import ts from "typescript";
import { ALERT_KINDS } from "../server/operations/alert.ts";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** Packages that a file needs to load. Dynamic imports and imports of types do not count. */
function packagesOf(file: string): string[] {
  const { statements } = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier: from } = statement;
    const isErased = ts.isImportDeclaration(statement)
      ? statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
      : statement.isTypeOnly;
    if (
      from === undefined ||
      !ts.isStringLiteral(from) ||
      isErased ||
      from.text.startsWith(".") ||
      isBuiltin(from.text)
    )
      return [];
    return [/^(?:@[^/]+\/)?[^/]+/.exec(from.text)?.[0] ?? from.text];
  });
}

describe("deployment", function () {
  // SBOM and licences of the package are those of the dependencies.
  it("has everything that the package contains among its dependencies", () => {
    const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
    const rooms = "commands,decode,deploy,journal,network,proofs,recover,relayer";
    const files = globSync(
      ["{server,client}/**/*.ts", "scripts/sealbook.ts", `scripts/{${rooms}}/**/*.ts`, "panel/src/**/*.{ts,tsx}"],
      // Only `npx hardhat run` loads it.
      { cwd: ROOT, exclude: ["scripts/deploy/hardhat-connection.ts"] },
    );
    assert.includeMembers(files, ["scripts/deploy/command.ts", "server/main.ts"]);
    const needed = new Map(files.flatMap((file) => packagesOf(file).map((name) => [name, file] as const)));
    assert.includeMembers([...needed.keys()], ["ethers", "express", "preact", "@peculiar/x509"]);
    assert.deepEqual(
      [...needed].filter(([name]) => dependencies[name] === undefined),
      [],
    );
  });

  it("starts the server everywhere with the command of npm start", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: { start: string } };
    const start = scripts.start.replace(/^node /, "");
    assert.include(read("deploy/sealbook.service"), `node_modules/.bin/node ${start}\n`);
    const [, command = ""] = /^CMD (.*)$/m.exec(read("Containerfile")) ?? [];
    assert.deepEqual(JSON.parse(command), ["node_modules/.bin/node", ...start.split(" ")]);
  });

  it("has a manual with the meaning and remedy of every alert", () => {
    const [, alerts = ""] = read("docs/operate.md").split("\n## Alerts\n");
    const rules = [...read("deploy/prometheus/alerts.yml").matchAll(/- alert: (\w+)/g)].map(([, name = ""]) => name);
    assert.isAbove(rules.length, 10);
    for (const name of [...ALERT_KINDS, ...rules])
      assert.match(alerts, new RegExp(`^\\| .*\`${name}\`.* \\| .+ \\| .+ \\|$`, "m"));
  });
});
