import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert } from "chai";
import type { Browser, Page } from "playwright-core";
import { buildPanel } from "../../scripts/panel/build.ts";
import { BUILT_PANEL } from "../../server/panel/routes.ts";
import { fakeServer } from "../client/fake-server.ts";
import { seriousViolations } from "../support/accessibility.ts";
import { BROWSER_TIMEOUT_MILLISECONDS, describeInBrowser, launchChromium } from "../support/chromium.ts";
import { giveFiles, onlyVerdict, startAgain, verdictsOf } from "../support/dropped-files.ts";
import { BUNDLE_VECTORS, DOCUMENT_PATH, TRUSTED_KEY, VALIDATORS } from "../vectors/bundles/vectors.ts";

const FILE = join(BUILT_PANEL, "offline.html");
const PAGE = pathToFileURL(FILE).href;

describeInBrowser("the offline page", () => {
  let browser: Browser;
  let page: Page;
  let document: Buffer;
  let requests: string[];
  let complaints: string[];

  before(async () => {
    await buildPanel();
    browser = await launchChromium();
    document = await readFile(DOCUMENT_PATH);
  });
  after(() => browser?.close());
  beforeEach(async () => {
    page = await (await browser.newContext({ locale: "en-GB", bypassCSP: false })).newPage();
    page.setDefaultTimeout(BROWSER_TIMEOUT_MILLISECONDS);
    [requests, complaints] = [[], []];
    page.on("request", (request) => requests.push(request.url()));
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(PAGE);
    await page.getByRole("heading", { level: 1, name: "Verify" }).waitFor();
  });
  afterEach(async () => {
    await page.context().close();
    assert.deepEqual(
      requests.filter((url) => !url.startsWith("blob:")),
      [PAGE],
    );
    assert.deepEqual(complaints, []);
  });

  const textOf = (name: string): string =>
    BUNDLE_VECTORS.find((candidate) => candidate.name === name)?.text ?? assert.fail(`there is no vector ${name}`);
  const trust = async (key: string, validators: readonly string[] = []): Promise<void> => {
    await page.getByLabel("Id of the issuer's key").fill(key);
    await page.getByLabel("Addresses of the chain's validators").fill(validators.join("\n"));
    await page.getByRole("button", { name: "Verify again" }).click();
  };
  const steps = () => page.locator(".checks strong").allTextContents();

  // Security, programs: the page and the program of the verifier load nothing from a network
  it("allows only its own script and style", () => {
    const html = readFileSync(FILE, "utf8");
    const contentOf = (tag: string): string => {
      const found = [...html.matchAll(new RegExp(`<${tag}(?: type="module")?>([^]*?)</${tag}>`, "g"))];
      assert.lengthOf(found, 1, tag);
      return found[0]?.[1] ?? "";
    };
    const hash = (tag: string) => `'sha256-${createHash("sha256").update(contentOf(tag)).digest("base64")}'`;
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1];
    assert.equal(
      policy,
      `default-src 'none'; script-src ${hash("script")} 'wasm-unsafe-eval'; worker-src blob:; ` +
        `style-src ${hash("style")}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    assert.isBelow(html.indexOf("Content-Security-Policy"), html.indexOf("<style>"));
    const rest = html.replace(contentOf("script"), "").replace(contentOf("style"), "");
    assert.notMatch(rest, /https?:|src=|href=|\son\w+=|style="/);
  });

  it("verifies a document with its bundle, step by step", async () => {
    await giveFiles(page, ["any.txt", document], ["any.json", textOf("ibft2")]);
    await onlyVerdict(page, "Cannot be said", /nothing in it is trusted yet/);
    await trust(TRUSTED_KEY, VALIDATORS);
    await onlyVerdict(page, "Verified");
    assert.deepEqual(await steps(), [
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
    await page.getByText("The validators you named", { exact: true }).waitFor();
    await trust(TRUSTED_KEY);
    await page.getByText("The issuer's key you named", { exact: true }).waitFor();
    await onlyVerdict(page, "Verified");
  });

  it("rejects a document with one bit flipped, and a bundle with one character changed", async () => {
    await trust(TRUSTED_KEY);
    const flipped = Buffer.from(document);
    flipped[0] = (flipped[0] ?? 0) ^ 1;
    const changed = textOf("batched").replace(
      /"record_hash":"(.)/,
      (_, digit) => `"record_hash":"${digit === "a" ? "b" : "a"}`,
    );
    for (const [file, bundle, failed] of [
      [flipped, textOf("batched"), "Document"],
      [document, changed, "Issuer's signature"],
      [document, Buffer.from(textOf("batched"), "utf16le"), "Format"],
    ] as const) {
      await startAgain(page);
      await giveFiles(page, ["fox.txt", file], ["fox.txt.bundle.json", bundle]);
      await onlyVerdict(page, "Not verified");
      assert.deepEqual(await page.locator(".check-bad strong").allTextContents(), [failed]);
    }
    await startAgain(page);
    await giveFiles(page, ["fox.txt", document], ["fox.json", `\uFEFF${textOf("batched")}\r\n`]);
    await onlyVerdict(page, "Verified");
  });

  it("asks nobody about a file without a bundle", async () => {
    await giveFiles(page, ["fox.txt", document]);
    await onlyVerdict(page, "Cannot be said", /no bundle for this file/);
    await giveFiles(page, ["other.txt", "other"]);
    assert.deepEqual(Object.fromEntries(await verdictsOf(page, 2)), {
      "fox.txt": "Cannot be said",
      "other.txt": "Cannot be said",
    });
    assert.equal(await page.getByText("this server").count(), 0);
  });

  it("is in Russian for readers of Russian", async () => {
    await page.getByLabel("Language").selectOption("Русский");
    await page.getByRole("heading", { level: 1, name: "Проверка" }).waitFor();
    await giveFiles(page, ["fox.txt", document], ["fox.json", textOf("ibft2")]);
    await page.locator(".notice strong").getByText("Сказать нельзя", { exact: true }).waitFor();
    await page.getByLabel("Идентификатор ключа издателя").fill(TRUSTED_KEY);
    await page.getByRole("button", { name: "Проверить снова" }).click();
    await page.locator(".notice strong").getByText("Подтверждено", { exact: true }).waitFor();
    assert.notMatch(await page.locator("main").innerText(), /[a-z]{4,} [a-z]{3,}/);
  });

  it("is accessible: axe finds nothing serious", async () => {
    const other = await (
      await browser.newContext({ locale: "en-GB", bypassCSP: true, reducedMotion: "reduce" })
    ).newPage();
    await other.goto(PAGE);
    await other.locator(".drop").waitFor();
    assert.deepEqual(await seriousViolations(other), []);
    await giveFiles(other, ["fox.txt", document], ["fox.json", textOf("ibft2")]);
    await onlyVerdict(other, "Cannot be said");
    for (const colorScheme of ["light", "dark"] as const) {
      await other.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousViolations(other), [], colorScheme);
    }
    await other.context().close();
  });

  it("cannot reach any network", async () => {
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
