import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert } from "chai";
import type { Browser, Page } from "playwright-core";
import { fakeServer } from "../client/fake-server.ts";
import { BROWSER_TIMEOUT_MILLISECONDS, describeInBrowser, launchChromium } from "../support/chromium.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { BUNDLE_VECTORS, DOCUMENT_PATH, TRUSTED_KEY, VALIDATORS } from "../vectors/bundles/vectors.ts";

const PAGE = pathToFileURL(join(import.meta.dirname, "../../verifier/index.html")).href;

describeInBrowser("the verifier page in a browser", () => {
  let directory: string;
  let browser: Browser;
  let page: Page;
  let requests: string[];
  let complaints: string[];

  before(async () => {
    directory = await temporaryDirectory();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    if (directory !== undefined) await removeDirectory(directory);
  });
  beforeEach(async () => {
    page = await browser.newPage();
    page.setDefaultTimeout(BROWSER_TIMEOUT_MILLISECONDS);
    [requests, complaints] = [[], []];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(PAGE);
  });
  afterEach(async () => {
    await page.close();
    assert.deepEqual(requests, [PAGE]);
    assert.deepEqual(complaints, []);
  });

  const vector = (name: string) =>
    BUNDLE_VECTORS.find((candidate) => candidate.name === name) ?? assert.fail(`there is no vector ${name}`);
  const choose = async (bundle: string, document: string): Promise<void> => {
    await page.setInputFiles("#bundle-file", bundle);
    await page.setInputFiles("#document-file", document);
  };
  const verdict = (expected: RegExp) => page.locator("#verdict", { hasText: expected }).waitFor();
  const titles = (className: "" | ".bad" = ""): Promise<string[]> =>
    page.locator(`#steps > li${className} > b`).allTextContents();

  it("verifies a document with its bundle, step by step", async () => {
    const { path } = vector("ibft2");
    await page.fill("#trusted-key", TRUSTED_KEY);
    await page.fill("#validators", VALIDATORS.join("\n"));
    await choose(path, DOCUMENT_PATH);
    await verdict(/^Verified\. The document ".*" existed as it is now/);
    assert.deepEqual(await titles(), [
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
    assert.deepEqual(await titles(".bad"), []);
    assert.isTrue(await page.locator("#steps").isVisible());
  });

  it("accepts both files in one drop", async () => {
    const files = await Promise.all(
      [DOCUMENT_PATH, vector("alone").path].map(async (path) => ({
        name: path.split("/").at(-1) ?? "",
        content: await readFile(path, "base64"),
      })),
    );
    await page.fill("#trusted-key", TRUSTED_KEY);
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      for (const { name, content } of ${JSON.stringify(files)}) {
        data.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
      }
      return data;
    })()`);
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
    await verdict(/^Verified\./);
  });

  it("rejects a document with one bit flipped, and a bundle with one character changed", async () => {
    const { path, text } = vector("batched");
    await page.fill("#trusted-key", TRUSTED_KEY);
    const document = await readFile(DOCUMENT_PATH);
    document[0] = (document[0] ?? 0) ^ 1;
    const flipped = join(directory, "flipped.txt");
    await writeFile(flipped, document);
    await choose(path, flipped);
    await verdict(/^Not verified\.$/);
    assert.deepEqual(await titles(".bad"), ["Document"]);

    const changed = join(directory, "changed.bundle.json");
    await writeFile(
      changed,
      text.replace(/"record_hash":"(.)/, (_, digit) => `"record_hash":"${digit === "a" ? "b" : "a"}`),
    );
    await choose(changed, DOCUMENT_PATH);
    await page.locator("#steps > li.bad > b", { hasText: "Issuer's signature" }).waitFor();
    await verdict(/^Not verified\.$/);
    await choose(path, DOCUMENT_PATH);
    await verdict(/^Verified\./);
  });

  it("fails without a trusted key, and cannot reach any network", async () => {
    await choose(vector("alone").path, DOCUMENT_PATH);
    await verdict(/^Undetermined: /);
    assert.deepEqual(await titles(".bad"), ["Trust"]);
    await using server = await fakeServer({
      status: 200,
      headers: { "Access-Control-Allow-Origin": "*" },
      body: "hello",
    });
    const outcomes = await page.evaluate(`Promise.all([
      fetch("${server.url}").then(() => "loaded", () => "refused"),
      new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve("loaded");
        image.onerror = () => resolve("refused");
        image.src = "${server.url}/image";
      }),
    ])`);
    assert.deepEqual(outcomes, ["refused", "refused"]);
    assert.isEmpty(server.received);
    assert.isTrue(complaints.some((complaint) => complaint.includes("Content Security Policy")));
    // These requests are the test's, not the page's.
    [requests, complaints] = [[PAGE], []];
  });
});
