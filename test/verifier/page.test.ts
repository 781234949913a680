import { spawnSync } from "node:child_process";
import { createHash, webcrypto } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";
import { expect } from "chai";
import { eventually } from "../support/eventually.ts";
import { forged } from "../support/forgery.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { BUNDLE_VECTORS, DOCUMENT_HASH, DOCUMENT_PATH, TRUSTED_KEY } from "../vectors/bundles/vectors.ts";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "verifier/index.html"), "utf8");

function contentOf(tag: string): string {
  const [, content] = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(page) ?? [];
  if (content === undefined) throw new Error(`the page has no ${tag}`);
  return content;
}

/** Runs the page's script with only the language and Web Cryptography. */
async function inPage(call: string, variables: Record<string, unknown>): Promise<ParsedJson> {
  const context = createContext({ crypto: webcrypto, TextDecoder, TextEncoder, btoa, ...variables });
  runInContext(contentOf("script"), context);
  return runInContext(call, context);
}

describe("the verifier page", () => {
  it("is generated from the current verifier", () => {
    const { status, stderr } = spawnSync(process.execPath, ["scripts/verifier-page.ts", "--check"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    expect(status, stderr).to.equal(0);
  });

  // Security, programs: the page and the program of the verifier load nothing from a network
  it("allows only its own script and style", () => {
    const hash = (tag: string) => `'sha256-${createHash("sha256").update(contentOf(tag)).digest("base64")}'`;
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
    expect(policy).to.equal(
      `default-src 'none'; script-src ${hash("script")}; style-src ${hash("style")}; ` +
        "base-uri 'none'; form-action 'none'",
    );
    expect(page.indexOf("Content-Security-Policy")).to.be.lessThan(page.indexOf("<style>"));
    expect(page.replace(contentOf("script"), "")).to.not.match(/https?:|src=|href=|\son\w+=|style="/);
  });

  it("rejects changed bundles and invalid fields", async () => {
    const [vector] = BUNDLE_VECTORS;
    if (vector === undefined) throw new Error("there are no vectors");
    const text = forged(vector.text, ({ record }) => (record.document_id = "another"));
    const result = await inPage("verifyBundle(json, documentHash, {})", { json: text, documentHash: DOCUMENT_HASH });
    expect(result.ok).to.equal(false);
    expect(result.steps.at(-1).title).to.equal("Recorded hash");
    const failureOf = async (call: string): Promise<string> =>
      inPage(call, {}).then(
        () => "",
        (error: unknown) =>
          typeof error === "object" && error !== null && "message" in error ? String(error.message) : "",
      );
    expect(await failureOf('readOptions("12", "")')).to.equal("the key's id does not have 43 characters");
    expect(await failureOf('readOptions("", "0x12")')).to.match(/is not the address of a validator$/);
  });

  it("checks as soon as both files are chosen, and again when a trusted key is entered", async () => {
    const [vector] = BUNDLE_VECTORS;
    const elements = new Map<string, ParsedJson>();
    const fakeElement = (): ParsedJson => {
      const listeners: Record<string, (event: object) => void> = {};
      const label = { textContent: "" };
      return {
        value: "",
        textContent: "",
        children: [] as ParsedJson[],
        classList: { add: () => undefined, remove: () => undefined },
        querySelector: () => label,
        replaceChildren(...children: ParsedJson[]) {
          this.children = children;
        },
        append(...children: ParsedJson[]) {
          this.children.push(...children);
        },
        addEventListener: (type: string, listener: (event: object) => void) => (listeners[type] = listener),
        dispatch: (type: string, event: object) => listeners[type]?.(event),
      };
    };
    const byId = (id: string): ParsedJson => {
      expect(page).to.include(`id="${id}"`);
      if (!elements.has(id)) elements.set(id, fakeElement());
      return elements.get(id);
    };
    const window = fakeElement();
    await inPage("undefined", { window, document: { getElementById: byId, createElement: fakeElement } });
    const choose = (name: string, file: File): void =>
      byId(`${name}-file`).dispatch("change", { target: { files: [file] } });
    const verdict = (expected: RegExp) =>
      eventually(async () => expect(byId("verdict").textContent).to.match(expected));

    choose("bundle", new File([vector?.text ?? ""], "proof.bundle.json"));
    expect(byId("verdict").textContent).to.equal("");
    choose("document", new File([readFileSync(DOCUMENT_PATH)], "document.txt"));
    await verdict(/^Undetermined: /);
    byId("trusted-key").value = TRUSTED_KEY;
    byId("trusted-key").dispatch("input", {});
    await verdict(/^Verified\. The document "contracts\/fox\.txt" existed as it is now/);
    expect(byId("steps").children).to.have.length(9);
    choose("bundle", new File([`\uFEFF${vector?.text ?? ""}\r\n`], "proof.bundle.json"));
    await verdict(/^Verified\. /);
    choose("bundle", new File([Buffer.from(vector?.text ?? "", "utf16le")], "proof.bundle.json"));
    await verdict(/^Not verified\.$/);
    choose("bundle", new File([vector?.text ?? ""], "proof.bundle.json"));
    byId("trusted-key").value = "12";
    byId("trusted-key").dispatch("input", {});
    await verdict(/^Not verified: the key's id does not have 43 characters$/);

    // Both files in one drop, in any order.
    byId("trusted-key").value = TRUSTED_KEY;
    const files = [new File(["another"], "document.txt"), new File([vector?.text ?? ""], "proof.bundle.json")];
    window.dispatch("drop", { preventDefault: () => undefined, dataTransfer: { files } });
    await verdict(/^Not verified\.$/);
    expect(byId("steps").children.at(-1).children[1].textContent).to.match(/^the document's SHA-256 is/);
  });
});
