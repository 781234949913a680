import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { forged, FORGER_KEY, withOtherForm } from "../support/forgery.ts";
import { temporaryDirectory, removeDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { pythonProgram } from "../support/python.ts";
import {
  argumentsOf,
  BUNDLE_CASES,
  BUNDLE_VECTORS,
  DOCUMENT_PATH,
  TRUSTED_KEY,
  VALIDATORS_PATH,
} from "../vectors/bundles/vectors.ts";

const VERIFIER = join(import.meta.dirname, "../../examples/python/verify.py");

/** Runs the verifier; returns its exit code and its output. */
async function verify(...args: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await promisify(execFile)(pythonProgram("python"), [VERIFIER, ...args]);
    return { code: 0, output: stdout };
  } catch (error) {
    if (!(error instanceof Error && "stderr" in error && "code" in error)) throw error;
    return { code: Number(error.code), output: "stdout" in error ? String(error.stdout) : "" };
  }
}

describe("the verifier in Python", () => {
  let directory: string;
  before(async () => void (directory = await temporaryDirectory()));
  after(() => removeDirectory(directory));

  for (const { name, path, isSealed } of BUNDLE_VECTORS) {
    it(`verifies the vector "${name}"`, async () => {
      const seals = isSealed ? ["--validators", VALIDATORS_PATH] : [];
      const { code, output } = await verify(path, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY, ...seals);
      assert.equal(code, 0, output);
      assert.match(output, /^VERIFIED: the document existed at block \d+, 2026-/);
    });
  }

  const sealed = BUNDLE_VECTORS.find(({ name }) => name === "ibft2-batched-later-round");
  assert(sealed !== undefined);

  it("passes the conformance suite: each case has its outcome and its code", async () => {
    for (const each of BUNDLE_CASES) {
      const { code, output } = await verify(...argumentsOf(each));
      const said = /^(VERIFIED|NOT VERIFIED|UNDETERMINED)(?: \((\w+)\))?: /.exec(output) ?? [];
      const outcome = said[1]?.toLowerCase().replace(" ", "_");
      assert.deepEqual({ outcome, code: said[2] ?? null }, { outcome: each.outcome, code: each.code }, each.name);
      assert.equal(code, { verified: 0, not_verified: 1, undetermined: 3 }[each.outcome], each.name);
    }
  });

  it("reads bytes: a mark and white space around the text are no change, and another encoding is named", async () => {
    const file = join(directory, "surrounded.bundle.json");
    for (const content of [`\uFEFF${sealed.text}`, `${sealed.text}\r\n`, `\n \t${sealed.text}\n\n`]) {
      await writeFile(file, content);
      const { code, output } = await verify(file, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY);
      assert.equal(code, 0, output);
    }
    for (const [reason, content] of [
      ["the file is UTF-16 text: convert it to UTF-8", Buffer.from(`\uFEFF${sealed.text}`, "utf16le")],
      ["the file is UTF-16 text: convert it to UTF-8", Buffer.from(sealed.text, "utf16le")],
      ["the file is not UTF-8 text", Buffer.from(`${sealed.text}\xe9`, "latin1")],
    ] as const) {
      await writeFile(file, content);
      const { code, output } = await verify(file, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY);
      assert.deepEqual([code, output], [1, `NOT VERIFIED (format_invalid): ${reason}\n`]);
    }
  });

  it("rejects members that verify.mjs rejects, and the other form of a signature", async () => {
    const file = join(directory, "strange.bundle.json");
    const rejects = async (text: string, key: string, failure: string, reason: string): Promise<void> => {
      await writeFile(file, text);
      const { code, output } = await verify(file, DOCUMENT_PATH, "--trust-key", key);
      assert.deepEqual([code, output], [1, `NOT VERIFIED (${failure}): ${reason}\n`]);
    };
    for (const change of [
      (bundle: ParsedJson) => (bundle.extra = 1),
      ({ record }: ParsedJson) => (record.extra = 1),
      ({ merkle }: ParsedJson) => (merkle.index = -1),
      ({ merkle }: ParsedJson) => (merkle.size = 1.5),
      ({ anchor }: ParsedJson) => (anchor.contract = anchor.contract.toUpperCase()),
      ({ block }: ParsedJson) => (block.hash += "00"),
      ({ record }: ParsedJson) => (record.metadata.timestamp = "1"),
      ({ consensus }: ParsedJson) => (consensus.protocol = "clique"),
    ])
      await rejects(
        forged(sealed.text, change),
        FORGER_KEY,
        "format_invalid",
        "a member is missing, unknown, or has another form",
      );
    const large = forged(sealed.text, ({ anchor }) => (anchor.chain_id = 2 ** 53));
    await writeFile(file, large);
    assert.match(
      (await verify(file, DOCUMENT_PATH, "--trust-key", FORGER_KEY)).output,
      /^NOT VERIFIED \(format_invalid\): /,
    );
    const form = "the issuer's signature has its other form";
    await rejects(withOtherForm(sealed.text), TRUSTED_KEY, "signature_invalid", form);
  });
});
