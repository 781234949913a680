import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { assert } from "chai";
import { parse } from "yaml";
import * as z from "zod";
import { readJson, writeFiles } from "../scripts/proofs-support.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { SEALBOOK } from "../support/sealbook.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";

const ROOT = join(import.meta.dirname, "../..");
const ACTIONS = join(ROOT, "deploy/actions");
const NAMES = ["prove", "verify"] as const;
type Name = (typeof NAMES)[number];

/** A step that a shell runs: its variables are inputs, and its script has no expression. */
const ShellStep = z.strictObject({
  id: z.string().optional(),
  shell: z.literal("bash"),
  env: z.record(z.string(), z.string().regex(/^\$\{\{ inputs\.[a-z-]+ \}\}$/)),
  run: z
    .string()
    .startsWith("set -euo pipefail\n")
    // Nor does it read a credential, which could end in an argument: the program does.
    .refine((script) => !/\$\{\{|SEALBOOK_/.test(script)),
});
/** A step that another action runs, of a version that cannot change. */
const UsesStep = z.strictObject({
  if: z.string(),
  uses: z.string().regex(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/),
  with: z.record(z.string(), z.union([z.string(), z.boolean()])),
});
const Action = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(
    z.string(),
    z.strictObject({ description: z.string(), required: z.boolean().optional(), default: z.string().optional() }),
  ),
  outputs: z.record(z.string(), z.strictObject({ description: z.string(), value: z.string() })).default({}),
  runs: z.strictObject({ using: z.literal("composite"), steps: z.tuple([ShellStep], UsesStep) }),
});
type Inputs = Readonly<Record<string, string>>;

/** How the shell step of an action ended. */
interface Outcome {
  readonly code: number | null;
  /** What the step printed. */
  readonly log: string;
  /** The errors that it reports to the runner. */
  readonly errors: readonly string[];
  readonly outputs: Inputs;
  /** The summary of the job. */
  readonly summary: string;
}

async function readAction(name: Name): Promise<z.output<typeof Action>> {
  return Action.parse(parse(await readFile(join(ACTIONS, name, "action.yml"), "utf8")));
}

/** The workflows of the manual, as text. */
async function readWorkflows(): Promise<string[]> {
  const manual = await readFile(join(ROOT, "docs/ci.md"), "utf8");
  return [...manual.matchAll(/^```yaml\n(name: [^]*?)^```$/gm)].map(([, yaml = ""]) => yaml);
}

/** Returns the errors that a runner takes from a step's standard error. */
function errorsIn(log: string): string[] {
  const errors: string[] = [];
  let token: string | undefined;
  for (const line of log.split("\n")) {
    const [, command = "", value = ""] = /^::([^:]+)::(.*)$/.exec(line) ?? [];
    if (token !== undefined) token = command === token ? undefined : token;
    else if (command === "stop-commands") token = value;
    else if (command === "error") errors.push(value);
  }
  return errors;
}

/** The part of a workflow that uses actions. */
const Workflow = z.object({
  jobs: z.record(
    z.string(),
    z.object({
      steps: z.array(z.object({ uses: z.string().optional(), with: z.record(z.string(), z.string()).optional() })),
    }),
  ),
});

describe("actions for continuous integration", () => {
  let server: TestServer;
  let directory: string;
  let key: string;
  let kid: string;
  /** A package whose program is that of the repository. */
  let standIn: string;

  before(async () => {
    server = await startServer({ API_AUTH: "apikey" });
    const created = await promisify(execFile)(process.execPath, [SEALBOOK, "apikey", "create", "a build", "--json"], {
      env: { ...SURROUNDINGS, DATA_DIR: server.directory },
    });
    ({ key } = z.object({ key: z.string() }).parse(JSON.parse(created.stdout)));
    kid = (await server.get("/.well-known/jwks.json")).body.keys[0].kid;
    standIn = await temporaryDirectory();
    await writeFiles(standIn, {
      "package.json": JSON.stringify({ name: "sealbook", version: "0.2.0", bin: { sealbook: "sealbook.sh" } }),
      "sealbook.sh": `#!/bin/sh\nexec '${process.execPath}' '${SEALBOOK}' "$@"\n`,
    });
    await chmod(join(standIn, "sealbook.sh"), 0o755);
  });
  after(async () => {
    await server.stop();
    await removeDirectory(standIn);
  });
  beforeEach(async () => void (directory = await temporaryDirectory()));
  afterEach(() => removeDirectory(directory));

  /** Runs the shell step of an action as a runner does, in the folder of the test. */
  async function run(name: Name, given: Inputs): Promise<Outcome> {
    const { inputs, outputs, runs } = await readAction(name);
    const [step] = runs.steps;
    const runner = await temporaryDirectory();
    try {
      const paths = { GITHUB_OUTPUT: join(runner, "output"), GITHUB_STEP_SUMMARY: join(runner, "summary.md") };
      const script = join(runner, "script.sh");
      await Promise.all([...Object.values(paths).map((path) => writeFile(path, "")), writeFile(script, step.run)]);
      const variables = Object.entries(step.env).map(([variable, expression]) => {
        const input = expression.slice("${{ inputs.".length, -" }}".length);
        assert.property(inputs, input);
        return [variable, given[input] ?? inputs[input]?.default ?? ""] as const;
      });
      const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
        cwd: directory,
        env: {
          ...SURROUNDINGS,
          npm_config_cache: join(standIn, "cache"),
          npm_config_offline: "true",
          GITHUB_ACTION_PATH: join(ACTIONS, name),
          RUNNER_TEMP: runner,
          ...paths,
          ...Object.fromEntries(variables),
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
      const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
      const set = await readFile(paths.GITHUB_OUTPUT, "utf8");
      const values = Object.fromEntries(
        [...set.matchAll(/^(.+?)=(.*)$/gm)].map(([, key = "", value = ""]) => [key, value]),
      );
      for (const [output, { value }] of Object.entries(outputs))
        assert.equal(value, `\${{ steps.${step.id}.outputs.${output} }}`);
      assert.includeMembers(Object.keys(outputs), Object.keys(values));
      const summary = await readFile(paths.GITHUB_STEP_SUMMARY, "utf8");
      return { code, log: out + err, errors: errorsIn(err), outputs: values, summary };
    } finally {
      await removeDirectory(runner);
    }
  }

  const prove = (inputs: Inputs): Promise<Outcome> =>
    run("prove", { url: server.url, "api-key": key, package: standIn, ...inputs });
  const verify = (inputs: Inputs): Promise<Outcome> => run("verify", { "trust-key": kid, package: standIn, ...inputs });

  it("prove the files of a build, and verify them until one changes", async () => {
    await writeFiles(directory, { "dist/app.tgz": "app", "dist/notes.txt": "notes", "dist/left-out": "" });
    const files = "dist/*.tgz\n\n  dist/notes.txt\n";
    const proved = await prove({ files, "id-prefix": "v1/", type: "build", source: "-tests" });
    assert.equal(proved.code, 0, proved.log);
    assert.include(proved.log, "2 of 2 files have proofs (2 anchored,");
    assert.deepEqual(proved.outputs, {
      bundles: "sealbook-proofs",
      count: "2",
      summary: "sealbook-proofs/summary.json",
    });
    const { record } = await readJson(join(directory, "sealbook-proofs/dist/app.tgz.bundle.json"));
    assert.equal(record.document_id, "v1/dist/app.tgz");
    assert.deepInclude(record.metadata, { type: "build", source: "-tests" });
    assert.equal((await readJson(join(directory, "sealbook-proofs/summary.json"))).totals.files, 2);

    const verified = await verify({ files });
    assert.deepEqual([verified.code, verified.errors], [0, []], verified.log);
    assert.match(verified.summary, /^### Sealbook: 2 of 2 files verified\n/);
    assert.match(
      verified.summary,
      /^\| dist\/app\.tgz \| verified \| The document .* existed as it is now when block /m,
    );

    // As files of a release, which has no folders.
    await copyFile(join(directory, "dist/app.tgz"), join(directory, "app.tgz"));
    await copyFile(join(directory, "sealbook-proofs/dist/app.tgz.bundle.json"), join(directory, "app.tgz.bundle.json"));
    assert.deepInclude(await verify({ files: "*.tgz", proofs: "." }), { code: 0, errors: [] });

    await writeFile(join(directory, "dist/notes.txt"), "other notes");
    const changed = await verify({ files });
    assert.equal(changed.code, 1);
    assert.deepEqual(changed.errors, ["not verified: dist/notes.txt: the document differs from the proved one"]);
    assert.match(changed.summary, /^### Sealbook: 1 of 2 files verified\n[^]*\n\| dist\/notes\.txt \| not verified \|/);
  });

  it("verify with validators, a node and moved files", async () => {
    await writeFiles(directory, { "a.txt": "a" });
    assert.equal((await prove({ files: "a.txt", out: "proofs" })).code, 0);
    await writeFiles(directory, { "b.txt": "a" });
    const bundle = await readFile(join(directory, "proofs/a.txt.bundle.json"));
    await writeFile(join(directory, "proofs/b.txt.bundle.json"), bundle);
    const moved = { files: "b.txt", proofs: "proofs", "trust-key": "", rpc: server.chainUrl };
    assert.match((await verify(moved)).errors.join(), /^not verified: b\.txt: the bundle is of a different document/);
    assert.equal((await verify({ ...moved, "any-id": "true" })).code, 0);
    await writeFiles(directory, { "validators.txt": `0x${"1".repeat(40)}` });
    // The chain of the server has no validators.
    const { code, errors } = await verify({ files: "a.txt", proofs: "proofs", validators: "validators.txt" });
    assert.equal(code, 3);
    assert.match(errors.join(), /^undetermined: a\.txt: .* no commit seals$/);
  });

  it("take every name for a name", async () => {
    const names = ["-rf", "a b.txt", "$(touch injected).txt", "`id`;|<b>.txt", "[x].txt", "d/\n::error::x"];
    await writeFiles(directory, Object.fromEntries(names.map((name) => [name, name])));
    const files = "*\nd/*\n[x].txt\n-rf\na *.txt\n$(touch injected).txt";
    const proved = await prove({ files, out: "-proofs $(touch injected)", "id-prefix": "--json", type: "$HOME" });
    assert.deepEqual([proved.code, proved.outputs["count"]], [0, String(names.length)], proved.log);
    const proofs = proved.outputs["bundles"] ?? "";
    const { record } = await readJson(join(directory, proofs, "-rf.bundle.json"));
    assert.deepInclude(record, { document_id: "--json-rf" });
    assert.equal(record.metadata.type, "$HOME");
    const again = await verify({ files, proofs, "id-prefix": "--json" });
    assert.deepEqual([again.code, again.errors], [0, []], again.log);

    await writeFile(join(directory, "`id`;|<b>.txt"), "changed");
    await symlink("nowhere", join(directory, "d/::error::owned"));
    const failed = await verify({ files, proofs, "id-prefix": "--json" });
    assert.equal(failed.code, 1);
    assert.lengthOf(failed.errors, 2);
    assert.match(failed.summary, /^\| &#96;id&#96;;&#124;&#60;b&#62;\.txt \| not verified \|/m);
    assert.match(failed.summary, /^\| d\/&#92;u&#123;a&#125;::error::x \| verified \|/m);
    const unproved = await prove({ files: "d\n::error::owned" });
    assert.deepEqual([unproved.code, unproved.errors], [1, []]);
    assert.include(unproved.log, "d/::error::owned: does not exist");
    assert.isFalse(existsSync(join(directory, "injected")));
  });

  it("run the named package, whatever programs and settings the files come with", async () => {
    await writeFiles(directory, { "d/app.tgz": "app" });
    assert.equal((await prove({ files: "d" })).code, 0);
    await writeFiles(directory, {
      ".npmrc": "registry=http://127.0.0.1:9/\noffline=false\n",
      "node_modules/sealbook/package.json": '{"name":"sealbook","version":"0.2.0"}',
      "node_modules/.bin/sealbook": "#!/bin/sh\necho planted\n",
      "node_modules/.bin/node": "#!/bin/sh\necho planted\n",
    });
    for (const name of ["sealbook", "node"]) await chmod(join(directory, "node_modules/.bin", name), 0o755);
    for (const given of [standIn, "sealbook@0.2.0"]) {
      const { code, log } = await verify({ files: "d", package: given });
      assert.notInclude(log, "planted");
      assert.notInclude(log, "127.0.0.1:9");
      assert.equal(code, given === standIn ? 0 : 1, log);
    }
  });

  it("reject wrong inputs with the reason", async () => {
    await writeFiles(directory, { "a.txt": "a" });
    await mkdir(join(directory, "empty"));
    const cases: [typeof prove, Inputs, RegExp][] = [
      [prove, { files: "a.txt\n*.zip" }, /^::error::files: nothing matches \*\.zip$/m],
      [prove, { files: " \n" }, /^::error::files: no file is named$/m],
      [prove, { files: "empty" }, /^prove: empty: no files found$/m],
      [prove, { files: "missing.txt" }, /^missing\.txt: does not exist$/m],
      [prove, { url: "http://127.0.0.1:9" }, /^prove: http:\/\/127\.0\.0\.1:9\/ cannot be reached: /m],
      [prove, { url: "" }, /'--url <address>' value '' .* is invalid\. It is not an http or https address/],
      [prove, { "api-key": "" }, /rejects the request: .*SEALBOOK_API_KEY or SEALBOOK_TOKEN/],
      [prove, { out: "x\nsummary=y" }, /^::error::out: must be the path of a folder$/m],
      [prove, { package: "" }, /PACKAGE: is empty$/m],
      [verify, { "trust-key": "" }, /^::error::trust-key, validators or rpc: one is required$/m],
      [verify, { "trust-key": "short" }, /It is not the 43 characters of a key's id\./],
      [verify, { "any-id": "yes" }, /^::error::any-id: must be true or false$/m],
      [verify, { files: "*.zip" }, /^::error::files: nothing matches \*\.zip$/m],
      [verify, { files: "empty" }, /^verify: empty: no files found$/m],
      [verify, {}, /^::error::undetermined: a\.txt: there is no bundle of it; run prove$/m],
    ];
    for (const [action, inputs, reason] of cases) {
      const { code, log, outputs } = await action({ files: "a.txt", ...inputs });
      assert.match(log, reason);
      assert.notEqual(code, 0, log);
      assert.deepEqual(outputs, {});
      assert.notInclude(log, key);
    }
  });

  it("are used by the manual with inputs that they have", async () => {
    const used = (await readWorkflows()).flatMap((yaml) =>
      Object.values(Workflow.parse(parse(yaml)).jobs).flatMap(({ steps }) => steps),
    );
    for (const name of NAMES) {
      const { inputs } = await readAction(name);
      const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
      assert.equal(inputs["package"]?.default, `sealbook@${version}`);
      const steps = used.filter(({ uses }) => uses?.includes(`/deploy/actions/${name}@`));
      assert.isNotEmpty(steps);
      const required = Object.keys(inputs).filter((input) => inputs[input]?.required);
      for (const step of steps) {
        assert.includeMembers(Object.keys(inputs), Object.keys(step.with ?? {}));
        assert.includeMembers(Object.keys(step.with ?? {}), required);
      }
    }
  });
});
