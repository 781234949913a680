import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { assert } from "chai";
import type { Page } from "playwright-core";
import { seriousViolations } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { logIn, openSection } from "./steps.ts";

const run = promisify(execFile);

describeInBrowser("the page of the APIs", function () {
  let stage: PanelStage;
  let page: Page;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "600" });
    page = await (await stage.window({ bypassCSP: true, reducedMotion: "reduce" })).newPage();
    await page.goto("/docs/");
    await page.locator(".operation").first().waitFor();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  const operation = (id: string) => page.locator(`#${id}`);
  /** Opens an operation, and returns the text of its call. */
  async function callOf(id: string, label: "curl" | "Python"): Promise<string> {
    if ((await operation(id).getAttribute("open")) === null) await operation(id).locator("summary").click();
    return (await operation(id).getByRole("region", { name: label, exact: true }).textContent()) ?? "";
  }

  it("has every operation of the document, with its fields and responses", async () => {
    assert.equal(new URL(page.url()).pathname, "/docs");
    const { body } = await stage.server.get("/openapi.json");
    const ids = Object.values(body.paths).flatMap((methods) =>
      Object.values(methods as Record<string, { operationId: string }>).map(({ operationId }) => operationId),
    );
    const shown = await page.locator(".operation").evaluateAll((all) => all.map(({ id }) => id));
    assert.sameMembers(shown, ids);
    for (const id of ids) await operation(id).locator("summary").click();
    await operation("submitProof").getByText("document_id", { exact: true }).waitFor();
    await operation("submitProof").getByText("metadata.timestamp", { exact: true }).waitFor();
    await operation("call").getByText("payload.search.target", { exact: true }).waitFor();
    await operation("attest").getByText("audience", { exact: true }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    for (const viewport of [
      { width: 360, height: 740 },
      { width: 1280, height: 900 },
    ]) {
      await page.setViewportSize(viewport);
      assert.equal(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0);
    }
  });

  it("has calls that run as they are", async () => {
    const { stdout } = await run("bash", ["-c", await callOf("submitProof", "curl")]);
    assert.include(["confirmed", "pending"], JSON.parse(stdout).status);
    // A machine of tests need not have the library: this one prints what it is given.
    const fake = `import sys, types
from json import dumps
requests = types.ModuleType("requests")
response = types.SimpleNamespace(status_code=0, text="")
requests.post = lambda url, json: print(dumps([url, json])) or response
sys.modules["requests"] = requests
`;
    const python = await run("python3", ["-c", fake + (await callOf("submitProof", "Python"))]);
    const [url, sent] = JSON.parse(python.stdout.split("\n")[0] ?? "");
    assert.equal(url, `${stage.server.url}/api/v1/proof`);
    assert.equal(sent.document_id, "contract-2026-001");
  });

  it("has the reader's token in the calls of the record store", async () => {
    await openSection(page, "Home");
    await logIn(page, stage.server.demo);
    const token = await page.getByLabel("ASC token").inputValue();
    await openSection(page, "API");
    await callOf("call", "curl");
    await operation("call").getByText("Search by code", { exact: true }).click();
    const text = (await operation("call").getByRole("region", { name: "curl", exact: true }).textContent()) ?? "";
    assert.include(text, token);
    const { stdout } = await run("bash", ["-c", text]);
    assert.isArray(JSON.parse(stdout).content.tparams.events, stdout);
  });

  it("opens the operation in the address, and contacts no other server", async () => {
    await page.goto("/docs#status");
    await page.reload();
    await operation("status").getByRole("region", { name: "curl", exact: true }).waitFor();
    await eventually(async () => assert.isBelow((await operation("status").boundingBox())?.y ?? Infinity, 900));
    await page.evaluate("location.hash = '#call'");
    await operation("call").getByRole("region", { name: "curl", exact: true }).waitFor();
    // The page's own files come from its server, too.
    for (const address of stage.requested) assert.equal(new URL(address).origin, stage.server.url);
  });
});
