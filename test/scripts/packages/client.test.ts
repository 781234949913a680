import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { build } from "rolldown";
import { ROOT } from "../../../server/kit/program-files.ts";
import { fakeServer } from "../../client/fake-server.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { installPackages, NPM_ENVIRONMENT, pack } from "../../support/packages.ts";
import { startServer, type TestServer } from "../../support/server.ts";

const run = promisify(execFile);
const ID = "12".repeat(32);

describe("the package of the client", () => {
  let folder: string;
  let project: string;
  let server: TestServer;

  /** The example in the package's page, for the server of this test. */
  async function example(): Promise<string> {
    const page = await readFile(join(ROOT, "scripts/packages/client/README.md"), "utf8");
    const code = /```ts\n([^]*?)```/.exec(page)?.[1] ?? assert.fail();
    const { login, password } = server.demo;
    return code
      .replaceAll("http://127.0.0.1:8080", server.url)
      .replace('"0x..."', JSON.stringify(login))
      .replace('"..."', JSON.stringify(password));
  }

  before(async () => {
    folder = await temporaryDirectory();
    project = join(folder, "project");
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    await installPackages(project, [await pack("client", folder), `typescript@${devDependencies.typescript}`]);
    server = await startServer();
    await writeFile(join(project, "program.ts"), await example());
  });
  after(async () => {
    await server.stop();
    await removeDirectory(folder);
  });

  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ] as const) {
    it(`has declarations for projects of TypeScript with modules of ${resolution}, without those of Node`, async () => {
      const options = ["--noEmit", "--strict", "--target", "es2024", "--lib", "es2024,dom,dom.asynciterable"];
      const modules = ["--module", module, "--moduleResolution", resolution];
      await run("npx", ["tsc", ...options, ...modules, "program.ts"], { cwd: project, env: NPM_ENVIRONMENT });
    });
  }

  it("calls both APIs, as its page shows", async () => {
    const { stdout } = await run(process.execPath, ["program.ts"], { cwd: project, env: NPM_ENVIRONMENT });
    assert.match(stdout, /^confirmed \{"/);
    assert.match(stdout, /\{ sensorvalue: 12\.5 \}\n$/);
  });

  it("needs nothing that Node 20 lacks", async () => {
    const proof = { id: ID, document_id: "d", hash: ID, record_hash: ID, metadata: { timestamp: 5 } };
    const pending = {
      status: 202,
      headers: { "Retry-After": "0", Location: "/elsewhere" },
      body: { status: "pending", ...proof },
    };
    // A lost connection, a proof that is pending, and an end.
    await using fake = await fakeServer(undefined, pending, { status: 404 });
    await writeFile(
      join(project, "older.js"),
      `delete Promise.withResolvers;
      delete URL.parse;
      const { ProofClient } = await import("@sealbook/client");
      const submitted = new ProofClient("${fake.url}").submit({ document_id: "d", hash: "${ID}" });
      const { name, status } = await submitted.catch((error) => error);
      console.log(name, status);`,
    );
    const { stdout } = await run(process.execPath, ["older.js"], { cwd: project, env: NPM_ENVIRONMENT });
    assert.equal(stdout, "ClientError 404\n");
    assert.deepEqual(
      fake.received.map(({ method, url }) => `${method} ${url}`),
      ["POST /api/v1/proof", "POST /api/v1/proof", "GET /elsewhere"],
    );
  });

  it("is one module that browsers can load, with zod besides", async () => {
    const code = await readFile(join(project, "node_modules/@sealbook/client/index.js"), "utf8");
    const imported = [...code.matchAll(/^import .* from "([^"]+)"/gm)].map(([, name]) => name);
    assert.deepEqual(imported, ["zod"]);
    assert.notMatch(code, /import\(|require\(|\bprocess\./);
  });

  it("is small in an application: zod's languages, which nothing uses, are left out", async () => {
    const program = 'import { ProofClient } from "@sealbook/client"; console.log(new ProofClient("http://x"));';
    await writeFile(join(project, "small.js"), program);
    const output = { format: "esm", minify: true } as const;
    const built = await build({ cwd: project, input: "small.js", platform: "browser", write: false, output });
    const bytes = built.output.reduce((sum, part) => sum + (part.type === "chunk" ? part.code.length : 0), 0);
    assert.isBelow(bytes, 250_000);
  });
});
