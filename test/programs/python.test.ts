import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert } from "chai";
import { forged, FORGER_KEY } from "../support/forgery.ts";
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
