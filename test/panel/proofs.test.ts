import { createHash, randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { assert } from "chai";
import type { Page } from "playwright-core";
import { verifyBundle } from "../../verifier/verify.mjs";
import { describeInBrowser } from "../support/chromium.ts";
import { seriousViolations } from "../support/accessibility.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { logIn } from "./steps.ts";

const sha256 = (content: string | Buffer): string => createHash("sha256").update(content).digest("hex");

async function dropFiles(
  page: Page,
  ...files: readonly (readonly [name: string, content: string | Buffer])[]
): Promise<void> {
  const payloads = files.map(([name, content]) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(content),
  }));
  await page.locator(".drop-input").first().setInputFiles(payloads);
}

describeInBrowser("the panel's proofs", function () {
  let stage: PanelStage;
  let page: Page;
  /** Bodies that the page sent. */
  const sent: string[] = [];
  const document = `minutes of the meeting ${randomBytes(8).toString("hex")}`;
  let bundle: string;

  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "600" });
    page = await (await stage.window({ bypassCSP: true, acceptDownloads: true })).newPage();
    page.on("request", (request) => void sent.push(request.postData() ?? ""));
    await page.goto("/");
    await logIn(page, stage.server.demo);
    await page.getByRole("link", { name: "Proofs" }).click();
    await page.getByRole("heading", { level: 1, name: "Proofs" }).waitFor();
  });
  after(() => stage[Symbol.asyncDispose]());
  const another = () => page.getByRole("button", { name: "Another file" }).click();

  it("show that a file is not recorded", async () => {
    assert.deepEqual(await seriousViolations(page), []);
    await dropFiles(page, ["minutes.txt", document]);
    await page.getByText(sha256(document)).waitFor();
    await page.getByText("Not recorded").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("record a file, and offer its proof as a download", async () => {
    await page.getByLabel("Type of document").fill("minutes");
    await page.getByRole("button", { name: "Record this file" }).click();
    await page.getByText("Recorded on the chain").waitFor();
    assert.equal(await page.getByText("Not recorded").count(), 0);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the proof" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "minutes.txt.bundle.json");
    bundle = await readFile(await download.path(), "utf8");
    const { record } = JSON.parse(bundle);
    assert.deepEqual(
      [record.document_id, record.hash, record.metadata.type],
      ["minutes.txt", sha256(document), "minutes"],
    );
    const result = await verifyBundle(bundle, sha256(document), {
      trustedKey: JSON.parse(bundle).signature.key_id,
    });
    assert.isTrue(result.ok);
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("link to the explorer", async () => {
    const href = await page.getByRole("link", { name: /^0x[0-9a-f]{64}$/ }).getAttribute("href");
    const { proof } = (await stage.server.get("/api/v1/proof/minutes.txt")).body;
    assert.equal(href, `/explorer/tx/${proof.tx_hash}`);
  });

  it("find the file again, under any name", async () => {
    await another();
    await dropFiles(page, ["minutes.txt", document]);
    await page.getByText("Recorded: exactly this content").waitFor();
    await another();
    await dropFiles(page, ["copy.txt", document]);
    await page.getByText("Recorded: exactly this content").waitFor();
    await page.getByLabel("Document id").fill("minutes.txt");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the proof" }).click(),
    ]);
    assert.equal(await readFile(await download.path(), "utf8"), bundle);
  });

  it("show that a file was changed, with both hashes", async () => {
    await another();
    const changed = document.replace("meeting", "Meeting");
    await dropFiles(page, ["minutes.txt", changed]);
    await page.getByText("Changed: this is not the recorded content").waitFor();
    for (const hash of [sha256(document), sha256(changed)]) await page.getByText(hash).first().waitFor();
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("check a file against its proof, step by step in the browser", async () => {
    await another();
    await dropFiles(page, ["minutes.txt", document], ["minutes.txt.bundle.json", bundle]);
    await page.getByText("Verification passed").waitFor();
    // The last check queries the chain, after the checks of the bundle.
    await page.locator(".checks strong", { hasText: "The block is on the chain" }).waitFor();
    assert.deepEqual(await page.locator(".checks strong").allTextContents(), [
      "Format",
      "Issuer's signature",
      "Document",
      "Recorded hash",
      "Inclusion in the batch",
      "Block header",
      "Transaction in the block",
      "Receipt in the block",
      "The contract of this chain",
      "The block is on the chain",
    ]);
    await page.locator(".tree").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const usual = page.viewportSize();
    await page.setViewportSize({ width: 360, height: 800 });
    assert.equal(
      await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
      0,
      "nothing is wider than a phone",
    );
    if (usual !== null) await page.setViewportSize(usual);
  });

  it("reject another file, and an altered proof", async () => {
    await another();
    await dropFiles(page, ["minutes.txt.bundle.json", bundle]);
    await page.getByText("Add the file").waitFor();
    await dropFiles(page, ["minutes.txt", `${document}.`]);
    await page.getByText("Changed: this is not the file of the proof").waitFor();
    await another();
    const altered = bundle.replace('"type":"minutes"', '"type":"Minutes"');
    await dropFiles(page, ["minutes.txt", document], ["minutes.txt.bundle.json", altered]);
    await page.getByText("Verification failed", { exact: true }).waitFor();
    await page.locator(".check-bad").getByText("Issuer's signature").waitFor();
    await page.locator(".tree").waitFor();
    assert.equal(await page.getByText("Verification passed").count(), 0);
    assert.equal(await page.getByText("nothing is verified yet").count(), 0);
  });

  it("hash a large file in chunks", async () => {
    await another();
    const large = Buffer.alloc(5 * 1024 * 1024, "sealbook");
    await dropFiles(page, ["large.bin", large]);
    await page.getByText(sha256(large)).waitFor();
    await page.getByText("Not recorded").waitFor();
  });

  it("request a key when the server requires one, and another when it is wrong", async () => {
    await another();
    // This server requires no key; the route simulates one that does.
    const unauthorized = {
      type: "urn:sealbook:problem:unauthorized",
      title: "Authentication is needed",
      status: 401,
      detail: "an API key or a token that is valid is needed",
    };
    await page.route("**/api/v1/**", async (route) =>
      (await route.request().headerValue("x-api-key")) === "right"
        ? route.continue()
        : route.fulfill({ status: 401, contentType: "application/problem+json", body: JSON.stringify(unauthorized) }),
    );
    await dropFiles(page, ["minutes.txt", document]);
    await page.getByText("Authentication required").waitFor();
    await page.getByLabel("API key or token").fill("wrong");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Enter another one").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByLabel("API key or token").fill("right");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Recorded: exactly this content").waitFor();
    await page.unroute("**/api/v1/**");
  });

  // Security, explorer: a file or proof dropped into a page stays in the browser; only hashes are sent
  it("send hashes, and no content of any file", () => {
    assert.isTrue(sent.some((body) => body.includes(sha256(document))));
    for (const body of sent) assert.notInclude(body, "minutes of the");
    for (const address of stage.requested)
      assert.include(
        [stage.server.url, `blob:${stage.server.url}`],
        address.startsWith("blob:") ? `blob:${stage.server.url}` : new URL(address).origin,
      );
    assert.deepEqual(
      stage.complaints.filter((text) => !/status of (401|404)/.test(text)),
      [],
    );
  });
});
