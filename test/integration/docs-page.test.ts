import { assert } from "chai";
import type { Browser, Page } from "playwright-core";
import { BROWSER_TIMEOUT_MILLISECONDS, describeInBrowser, launchChromium } from "../support/chromium.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Target folder of screenshots, for manual inspection. */
const PICTURE = process.env["DOCS_PICTURE"];

describeInBrowser("the API documentation page", function () {
  let server: TestServer;
  let browser: Browser | undefined;
  let page: Page;
  /** All requests of the page. */
  const requested: string[] = [];
  /** What the browser complained of: violations of the policy, faults of scripts. */
  const complaints: string[] = [];

  before(async function () {
    const [started, launched] = await Promise.all([startServer(), launchChromium()]);
    server = started;
    browser = launched;
    page = await launched.newPage({ viewport: { width: 1280, height: 1600 } });
    page.setDefaultTimeout(BROWSER_TIMEOUT_MILLISECONDS);
    page.on("request", (request) => requested.push(request.url()));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${server.url}/docs`);
    await page.waitForSelector(".opblock");
  });
  after(async () => {
    await browser?.close();
    if (browser !== undefined) await server.stop();
  });

  // Security, network: cannot run a script in the page of the API
  it("has a strict policy and no inline scripts", async () => {
    const response = await server.get("/docs/");
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.include(policy, "default-src 'none'");
    assert.include(policy, "script-src 'self'");
    assert.notMatch(policy, /unsafe|https?:|\*/);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.notMatch(response.text, /<script>|<script (?!src=)|\son\w+=/);
    assert.equal((await server.get("/docs", { redirect: "manual" })).status, 301);
    for (const path of [
      "/docs/index.js",
      "/docs/package.json",
      "/docs/..%2fpackage.json",
      "/docs/%2e%2e/server/main.ts",
      "/docs/initializer.js/",
    ]) {
      assert.equal((await server.get(path)).status, 404, path);
    }
  });

  it("lists the operations of both APIs", async () => {
    assert.equal(page.url(), `${server.url}/docs/`);
    const paths = (await page.locator(".opblock-summary-path").allTextContents()).map((text) =>
      text.replaceAll("\u200b", ""),
    );
    assert.includeMembers(paths, ["/api", "/api/v1/proof", "/api/v1/verify", "/api/v1/recovery/gap", "/api/v1/status"]);
  });

  it("sends a call and shows its response", async () => {
    await page.locator("#operations-Operation-status .opblock-summary-control").click();
    await page.locator("#operations-Operation-status button.execute").click();
    const response = page.locator(
      "#operations-Operation-status .live-responses-table .response-col_description .microlight",
    );
    await response.first().waitFor();
    assert.include(await response.first().textContent(), '"status": "ok"');
    assert.include(requested, `${server.url}/api/v1/status`);
  });

  it("sends a record store call from an example", async () => {
    await page.locator("#operations-Records-call .opblock-summary-control").click();
    await page.locator("#operations-Records-call button.execute").click();
    await page.locator("#operations-Records-call .live-responses-table .response-col_status").first().waitFor();
    assert.include(requested, `${server.url}/api`);
    if (PICTURE !== undefined) await page.screenshot({ path: PICTURE });
  });

  it("contacts no other server, and complies with its policy", () => {
    for (const url of requested) assert.isTrue(url.startsWith(`${server.url}/`) || url.startsWith("data:"), url);
    // An example's account is not that of this server; to be refused is what the call above is for.
    assert.deepEqual(
      complaints.filter((text) => !/status of 401/.test(text)),
      [],
    );
  });
});
