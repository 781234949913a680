import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { contentOf, forged, withOtherForm } from "../support/forgery.ts";
import { CODES } from "../../verifier/verify.mjs";
import {
  argumentsOf,
  BUNDLE_CASES,
  BUNDLE_VECTORS,
  DOCUMENT_PATH,
  TRUSTED_KEY,
  VALIDATORS,
  VALIDATORS_PATH,
} from "../vectors/bundles/vectors.ts";

const VERIFIER = join(import.meta.dirname, "../../verifier/verify.mjs");

async function verify(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [VERIFIER, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [ended, out, err] = await Promise.all([code, text(child.stdout), text(child.stderr)]);
  return { code: ended, out, err };
}

const vector = (name: string) => {
  const found = BUNDLE_VECTORS.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there is no vector ${name}`);
  return found;
};

describe("verify.mjs", () => {
  let directory: string;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(() => removeDirectory(directory));

  for (const { name, path, isSealed } of BUNDLE_VECTORS) {
    const means = `the issuer's signature${isSealed ? " and the commit seals" : ""}`;
    it(`verifies the vector "${name}" by ${means}`, async () => {
      const signed = await verify(path, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY);
      expect(signed.code, signed.out + signed.err).to.equal(0);
      expect(signed.out)
        .to.match(/^passed {2}Format\n/)
        .and.match(/VERIFIED\. The document ".*" existed as it is now .*; by the issuer's signature\.\n$/);
      const sealed = await verify("--validators", VALIDATORS_PATH, path, DOCUMENT_PATH);
      expect(sealed.code).to.equal(isSealed ? 0 : 3);
      expect(sealed.out).to.match(
        isSealed
          ? /by the commit seals of the chain's validators\.\n$/
          : /blocks of this chain have no commit seals\n\nUNDETERMINED: .*\n$/,
      );
    });
  }

  it("prints the conclusion and the assumptions of each step", async () => {
    const { out } = await verify(vector("ibft2").path, DOCUMENT_PATH, "--validators", VALIDATORS_PATH);
    const steps = [...out.matchAll(/^passed {2}(.*)\n +proves: +\S.*\n +assumes: \S.*$/gm)].map(([, title]) => title);
    expect(steps).to.deep.equal([
      "Format",
      "Issuer's signature",
      "Document",
      "Recorded hash",
      "Batch",
      "Block header",
      "Transaction",
      "Receipt",
      "Commit seals",
    ]);
  });

  it("passes the conformance suite: each case has its outcome, its code and its exit code", async () => {
    for (const each of BUNDLE_CASES) {
      const { code, out, err } = await verify(...argumentsOf(each), "--json");
      const report = JSON.parse(out);
      expect({ outcome: report.outcome, code: report.code }, each.name).to.deep.equal({
        outcome: each.outcome,
        code: each.code,
      });
      expect([code, err], each.name).to.deep.equal([
        { verified: 0, not_verified: 1, undetermined: 3 }[each.outcome],
        "",
      ]);
    }
  });

  it("has no codes but those of the page on the format, each of which a case of the suite has", async () => {
    const page = await readFile(join(import.meta.dirname, "../../docs/proof-format.md"), "utf8");
    const rows = [...page.matchAll(/^\| `(\w+)` \| (verified|not_verified|undetermined) \|/gm)];
    expect(Object.fromEntries(rows.map(([, code, outcome]) => [code, outcome]))).to.deep.equal(CODES);
    const needsMore = ["node_", "statement_", "bundle_"];
    const inFiles = Object.keys(CODES).filter((code) => !needsMore.some((start) => code.startsWith(start)));
    expect([...new Set(BUNDLE_CASES.flatMap(({ code }) => code ?? []))]).to.have.members(inFiles);
  });

  it("prints JSON: the outcome, the proven time, what was trusted, and each step", async () => {
    const { path, text: bundle } = vector("ibft2");
    const verified = await verify(path, DOCUMENT_PATH, "--validators", VALIDATORS_PATH, "--json");
    const { steps, ...report } = JSON.parse(verified.out);
    expect(report).to.deep.equal({
      format: "sealbook-verdict/1",
      outcome: "verified",
      code: null,
      document_id: contentOf(bundle).record.document_id,
      block: { number: 2, timestamp: Date.UTC(2026, 10, 26, 4, 8, 7) / 1000, chain_id: 7327 },
      attestation: null,
      trusted: { key_id: null, validators: VALIDATORS, node: false },
    });
    expect(steps.map(({ step }: { step: string }) => step)).to.deep.equal([
      ...["format", "signature", "document", "record", "batch", "header", "transaction", "receipt", "seals"],
    ]);
    const failed = JSON.parse((await verify(path, path, "--json")).out);
    expect(failed.steps.at(-1)).to.deep.include({ step: "document", ok: false, code: "document_differs" });
    expect([failed.block, failed.document_id]).to.deep.equal([null, null]);
    const quiet = await verify(path, DOCUMENT_PATH, "--validators", VALIDATORS_PATH, "--quiet");
    expect(quiet).to.deep.equal({ code: 0, out: "", err: "" });
  });

  it("does not say anything without a trusted key, validators or node", async () => {
    const { code, out } = await verify(vector("alone").path, DOCUMENT_PATH);
    expect(code).to.equal(3);
    expect(out).to.match(/FAILED {2}Trust\n +the bundle is consistent, but nothing in it is trusted yet/);
  });

  it("rejects another document, another key, and a changed bundle", async () => {
    const { path, text: bundle } = vector("alone");
    const failedStep = async (...args: string[]): Promise<string> => {
      const { code, out } = await verify(...args);
      expect(code).to.equal(1);
      expect(out).to.match(/\n\nNOT VERIFIED\.\n$/);
      return /^FAILED {2}(.*)$/m.exec(out)?.[1] ?? "";
    };
    expect(await failedStep(path, path, "--trust-key", TRUSTED_KEY)).to.equal("Document");
    expect(await failedStep(path, DOCUMENT_PATH, "--trust-key", "A".repeat(43))).to.equal("Issuer's signature");
    const changed = join(directory, "changed.bundle.json");
    await writeFile(changed, bundle.replace("fox", "dog"));
    expect(await failedStep(changed, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY)).to.equal("Issuer's signature");
    const hostile = join(directory, "hostile.bundle.json");
    await writeFile(
      hostile,
      forged(bundle, (content) => (content["\u001b[2J\u202e"] = 1)),
    );
    const { out } = await verify(hostile, DOCUMENT_PATH);
    expect(out).to.not.include("\u001b");
    expect(out).to.not.include("\u202e");
  });

  it("reads bytes: a mark and white space around the text are no change, and another encoding is named", async () => {
    const { text: bundle } = vector("alone");
    const file = join(directory, "surrounded.bundle.json");
    const outcomeOf = async (content: string | Buffer): Promise<string> => {
      await writeFile(file, content);
      const { code, out } = await verify(file, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY);
      expect(code).to.equal(out.includes("NOT VERIFIED") ? 1 : 0);
      return out;
    };
    for (const content of [`\uFEFF${bundle}`, `${bundle}\r\n`, `${bundle}\n\n`, ` \t\r\n${bundle}`])
      expect(await outcomeOf(content)).to.match(/VERIFIED\. /);
    const utf16 = /^FAILED {2}Format\n +the file is UTF-16 text: convert it to UTF-8$/m;
    const little = Buffer.from(`\uFEFF${bundle}`, "utf16le");
    for (const content of [little, little.subarray(2), Buffer.from(little).swap16(), little.subarray(2).swap16()])
      expect(await outcomeOf(content)).to.match(utf16);
    const latin = Buffer.from(bundle.replace("fox", "f\xf6x"), "latin1");
    expect(await outcomeOf(latin)).to.match(/^FAILED {2}Format\n +the file is not UTF-8 text$/m);
    for (const content of [bundle.replace(",", ", "), `${bundle}\u00a0`, `\uFEFF\uFEFF${bundle}`])
      expect(await outcomeOf(content)).to.match(/^FAILED {2}Format\n +the bundle is not /m);
  });

  // Security, relayer: one document has one signature of the issuer, so that no changed copy of a bundle passes
  it("rejects the other form of a signature", async () => {
    const file = join(directory, "other-form.bundle.json");
    await writeFile(file, withOtherForm(vector("alone").text));
    const { code, out } = await verify(file, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY);
    expect(code).to.equal(1);
    expect(out).to.match(/^FAILED {2}Issuer's signature\n +the signature has its other form/m);
  });

  it("accepts only the expected contract", async () => {
    const { path, text: bundle } = vector("alone");
    const contract: string = JSON.parse(bundle).anchor.contract;
    const trusted = [path, DOCUMENT_PATH, "--trust-key", TRUSTED_KEY, "--contract"];
    const { code, out } = await verify(...trusted, `0x${contract.slice(2).toUpperCase()}`);
    expect(code).to.equal(0);
    expect(out).to.match(/^passed {2}Contract$/m);
    const other = await verify(...trusted, `0x${"11".repeat(20)}`);
    expect(other.code).to.equal(1);
    expect(other.out).to.match(/^FAILED {2}Contract$/m);
  });

  it("accepts validators as a JSON list", async () => {
    const file = join(directory, "validators.json");
    await writeFile(file, JSON.stringify(VALIDATORS.map((address) => `0x${address.slice(2).toUpperCase()}`)));
    expect((await verify(vector("qbft").path, DOCUMENT_PATH, "--validators", file)).code).to.equal(0);
    await writeFile(file, JSON.stringify([VALIDATORS]));
    expect((await verify(vector("qbft").path, DOCUMENT_PATH, "--validators", file)).code).to.equal(2);
    await writeFile(file, JSON.stringify(VALIDATORS.slice(1)));
    expect((await verify(vector("qbft").path, DOCUMENT_PATH, "--validators", file)).code).to.equal(1);
  });

  it("distinguishes wrong usage from a failed verification", async () => {
    const { path } = vector("alone");
    const usage = [
      [],
      [path],
      [path, path, path],
      [path, path, "--trust"],
      [path, path, "--rpc"],
      [path, path, "--trust-key", "12"],
      [path, path, "--contract", "0x12"],
      [path, path, "--rpc", "nowhere"],
    ];
    for (const args of usage) {
      const { code, out, err } = await verify(...args);
      expect(code, args.join(" ")).to.equal(2);
      expect(out).to.equal("");
      expect(err).to.include("usage: node verify.mjs BUNDLE DOCUMENT");
    }
    const { code, out, err } = await verify("--help");
    expect([code, err]).to.deep.equal([0, ""]);
    expect(out).to.match(/^usage: node verify\.mjs BUNDLE DOCUMENT .*\n[^]*--rpc URL/);
    expect(await verify(join(directory, "none"), path)).to.deep.include({ code: 2, out: "" });
    expect((await verify(path, DOCUMENT_PATH, "--validators", path)).code).to.equal(2);
  });

  describe("with a node", () => {
    let server: Server;
    let url: string;
    let respond: (method: string) => unknown = () => ({});
    before(async () => {
      server = createServer((request, response) => {
        void text(request).then((body) => response.end(JSON.stringify(respond(JSON.parse(body).method))));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
      url = `http://127.0.0.1:${address.port}`;
    });
    after(() => void server.close());

    const { path, text: bundle } = vector("alone");
    const run = async (): Promise<string> => {
      const { code, out } = await verify(path, DOCUMENT_PATH, "--rpc", url);
      return `${code}: ${/FAILED.*\n +(.*)/.exec(out)?.[1] ?? ""}`;
    };

    it("queries the block", async () => {
      const results: Record<string, unknown> = {
        eth_chainId: "0x1c9f",
        eth_getBlockByNumber: { hash: contentOf(bundle).block.hash },
      };
      respond = (method) => ({ jsonrpc: "2.0", id: 1, result: results[method] });
      expect(await run()).to.equal("0: ");
      results["eth_getBlockByNumber"] = { hash: `0x${"12".repeat(32)}` };
      expect(await run()).to.match(/^1: the node has the hash 0x1212/);
    });

    it("fails when the node returns an error or an invalid response", async () => {
      respond = () => ({ error: { code: -32601, message: "no" } });
      expect(await run()).to.equal("3: the node returned an error: no");
      respond = () => "hello";
      expect(await run()).to.match(/^3: the node returned an error/);
      respond = () => ({ result: "many" });
      expect(await run()).to.equal("3: the node returned no chain id");
      respond = () => ({ error: null, result: "" });
      expect(await run()).to.equal("3: the node returned no chain id");
      respond = (method) => ({ result: method === "eth_chainId" ? "0x1" : null });
      expect(await run()).to.match(/^3: the node is on chain 1, /);
      respond = (method) => ({ result: method === "eth_chainId" ? "0x1c9f" : null });
      expect(await run()).to.match(/^3: the node does not have block /);
      respond = (method) => ({ result: method === "eth_chainId" ? "0x1c9f" : {} });
      expect(await run()).to.match(/^3: the node returned no block /);
      const { code, out } = await verify(path, DOCUMENT_PATH, "--rpc", "http://127.0.0.1:9");
      expect(code).to.equal(3);
      expect(out).to.include("the node does not respond");
    });
  });
});
