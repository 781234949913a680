import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { runTool } from "../support/debian-tools.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

const DOCUMENT = "Договор № 7\n";
const DOCUMENT_ID = "Договор № 7";
const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

async function pdfOf(server: TestServer, body: object): Promise<Buffer> {
  const response = await fetch(`${server.url}/api/v1/recovery/attest`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/pdf" },
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Runs a command in a folder, with a shell, Node and the common tools. */
async function run(directory: string, command: string): Promise<{ code: number | null; out: string }> {
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const child = spawn("sh", ["-c", command], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out: out + err };
}

describe("an attestation without its issuer", () => {
  let directory: string;
  let keyId: string;
  let statement: ParsedJson;
  before(async () => {
    directory = await temporaryDirectory();
    const server = await startServer({ ISSUER_NAME: "Архив порта" });
    try {
      const first = { document_id: DOCUMENT_ID, hash: sha256("draft"), metadata: { type: "черновик", timestamp: 1 } };
      assert.equal((await server.post("/api/v1/proof", first)).status, 201);
      const documents = [
        { document_id: DOCUMENT_ID, hash: sha256(DOCUMENT), metadata: { type: "договор", timestamp: 2 } },
        ...Array.from({ length: 4 }, (_, n) => ({ document_id: `other ${n}`, hash: sha256(String(n)) })),
      ];
      assert.equal((await server.post("/api/v1/proof/batch", { documents })).status, 201);
      const pdf = await pdfOf(server, { document_id: DOCUMENT_ID, audience: "court" });
      await writeFile(join(directory, "attestation.pdf"), pdf);
    } finally {
      // From here on there is neither issuer nor chain.
      await server.stop();
    }
    const printed = await runTool("pdftotext", "-layout", join(directory, "attestation.pdf"), "-");
    const [, extraction = assert.fail("the PDF prints no pdfdetach")] = /(pdfdetach -saveall \S+)/.exec(printed) ?? [];
    keyId = /^Key +([\w-]{43})$/m.exec(printed)?.[1] ?? assert.fail("the PDF prints no key");
    const extracted = await run(directory, extraction);
    assert.equal(extracted.code, 0, extracted.out);
    statement = JSON.parse(await readFile(join(directory, "statement.json"), "utf8"));
    await writeFile(join(directory, "document"), DOCUMENT);
  });
  after(() => removeDirectory(directory));

  const verified = (...args: string[]): ReturnType<typeof run> =>
    run(directory, ["node verify.mjs attestation.jws", ...args].join(" "));

  it("has everything attached", async () => {
    assert.sameMembers(await readdir(directory), [
      "attestation.pdf",
      "attestation.jws",
      "statement.json",
      "verify.mjs",
      "proof-1.bundle.json",
      "proof-2.bundle.json",
      "document",
    ]);
    const pdf = (await readFile(join(directory, "attestation.pdf"))).toString("latin1");
    assert.include(pdf, "/EmbeddedFile");
  });

  it("is verified by its own steps, in the folder of the extracted files", async () => {
    const names = ["The verifier", "All checks, offline", "All checks, with the document"];
    const own = ["The signature, with OpenSSL", "The document", "The recorded hash"];
    for (const name of [...names, ...own]) {
      const step = statement.steps.find(({ title }: ParsedJson) => title === name) ?? assert.fail(`no step ${name}`);
      const { code, out } = await run(directory, `DOCUMENT=document\n${step.run}`);
      assert.equal(code, 0, out);
      for (const expected of step.expect) assert.include(out, expected);
    }
    const { code, out } = await verified("document", "--trust-key", keyId);
    assert.equal(code, 0, out);
    assert.match(
      out,
      new RegExp(`^VERIFIED\\. The attestation ${keyId} of "Архив порта" was signed at .* UTC\\.`, "m"),
    );
    assert.include(out, "2 of its 2 listed records have a portable proof. The document is the content of record 1.");
  });

  it("fails without any trusted input, with another key, and for another document", async () => {
    await writeFile(join(directory, "another"), "another");
    const cases: readonly (readonly [args: string[], code: number, reason: RegExp])[] = [
      [[], 3, /nothing in it is trusted yet[^]*^UNDETERMINED: /m],
      [["--trust-key", "A".repeat(43)], 1, /not with the trusted key[^]*^NOT VERIFIED\.$/m],
      [["another", "--trust-key", keyId], 1, /no record of the statement has[^]*^NOT VERIFIED\.$/m],
    ];
    for (const [args, expected, reason] of cases) {
      const { code, out } = await verified(...args);
      assert.equal(code, expected, out);
      assert.match(out, reason);
    }
    assert.equal((await verified("--trust-key", "ab".repeat(32))).code, 2);
  });
});
