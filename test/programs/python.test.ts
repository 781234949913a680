import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { forged, FORGER_KEY, withOtherForm } from "../support/forgery.ts";
import { temporaryDirectory, removeDirectory } from "../support/directory.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { pythonProgram } from "../support/python.ts";
import { BUNDLE_VECTORS, DOCUMENT_PATH, TRUSTED_KEY, VALIDATORS_PATH } from "../vectors/bundles/vectors.ts";

const VERIFIER = join(import.meta.dirname, "../../examples/python/verify.py");

/** Runs the verifier; returns its exit code and its output. */
async function verify(...args: string[]): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await promisify(execFile)(pythonProgram("python"), [VERIFIER, ...args]);
    return { code: 0, output: stdout };
  } catch (error) {
    if (!(error instanceof Error && "stderr" in error && "code" in error)) throw error;
    return { code: Number(error.code), output: String(error.stderr) };
  }
}

/** Changes of a bundle's content, each of which the check with this reason has to find. */
const FORGERIES: Readonly<Record<string, (bundle: ParsedJson) => void>> = {
  "the document is another one": ({ record }) => (record.hash = "11".repeat(32)),
  "the recorded hash is of another record": ({ record }) => (record.document_id += "1"),
  "the leaf is of another record": ({ merkle }) => (merkle.leaf = merkle.root),
  "the path has another length": ({ merkle }) => (merkle.size = 1000),
  "the path leads to another root": ({ merkle }) => merkle.path.reverse(),
  "the header is of another block": ({ block }) => (block.hash = `0x${"11".repeat(32)}`),
  "the header has other validators": ({ consensus }) => consensus.validators.reverse(),
  "the block has another transaction": ({ anchor }) => (anchor.transaction.raw = anchor.receipt.raw),
  "the transaction is for another contract or chain": ({ anchor }) => (anchor.chain_id += 1),
  "the block has another receipt": ({ anchor }) => (anchor.receipt.raw = anchor.transaction.raw),
  "a node of a trie is missing or has another hash": ({ anchor }) => anchor.receipt.proof.pop(),
};

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
  for (const [reason, change] of Object.entries(FORGERIES)) {
    it(`rejects a forged bundle: ${reason}`, async () => {
      const file = join(directory, "forged.bundle.json");
      await writeFile(file, forged(sealed.text, change));
      const { code, output } = await verify(file, DOCUMENT_PATH, "--trust-key", FORGER_KEY);
      assert.deepEqual([code, output], [1, `NOT VERIFIED: ${reason}\n`]);
    });
  }

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
      assert.deepEqual([code, output], [1, `NOT VERIFIED: ${reason}\n`]);
    }
  });

  it("rejects members that verify.mjs rejects, and the other form of a signature", async () => {
    const file = join(directory, "strange.bundle.json");
    const rejects = async (text: string, key: string, reason: string): Promise<void> => {
      await writeFile(file, text);
      const { code, output } = await verify(file, DOCUMENT_PATH, "--trust-key", key);
      assert.deepEqual([code, output], [1, `NOT VERIFIED: ${reason}\n`]);
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
      await rejects(forged(sealed.text, change), FORGER_KEY, "a member is missing, unknown, or has another form");
    const large = forged(sealed.text, ({ anchor }) => (anchor.chain_id = 2 ** 53));
    await writeFile(file, large);
    assert.match((await verify(file, DOCUMENT_PATH, "--trust-key", FORGER_KEY)).output, /^NOT VERIFIED: /);
    await rejects(withOtherForm(sealed.text), TRUSTED_KEY, "the issuer's signature has its other form");
  });

  it("rejects another document, key, contract and list of validators, and a changed text", async () => {
    const list = join(directory, "validators.txt");
    const text = join(directory, "changed.bundle.json");
    await writeFile(list, `0x${"11".repeat(20)}`);
    await writeFile(text, sealed.text.replace(":", ": "));
    const trusted = ["--trust-key", TRUSTED_KEY];
    for (const [reason, ...args] of [
      ["the document is another one", sealed.path, VALIDATORS_PATH, ...trusted],
      ["the key is not the trusted one", sealed.path, DOCUMENT_PATH, "--trust-key", FORGER_KEY],
      ["the contract is another one", sealed.path, DOCUMENT_PATH, ...trusted, "--contract", `0x${"11".repeat(20)}`],
      ["the validators are others", sealed.path, DOCUMENT_PATH, ...trusted, "--validators", list],
      ["the bundle is not canonical JSON", text, DOCUMENT_PATH, ...trusted],
    ]) {
      const { code, output } = await verify(...args);
      assert.deepEqual([code, output], [1, `NOT VERIFIED: ${reason}\n`]);
    }
  });
});
