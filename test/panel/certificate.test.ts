import { readFile } from "node:fs/promises";
import { assert } from "chai";
import type { Page } from "playwright-core";
import { seriousViolations } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { onlyVerdict, sha256 } from "../support/dropped-files.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";

describeInBrowser("the certificate of a document", function () {
  let stage: PanelStage;
  let page: Page;
  const id = "contracts/2026/lease.pdf";
  const path = `/proof/${encodeURIComponent(id)}`;
  before(async () => {
    stage = await openPanel({}, { settings: { explorer: { rate: 100_000 } } });
    const metadata = { type: "contract", source: "archive", timestamp: 1_700_000_000 };
    await stage.server.post("/api/v1/proof", { document_id: id, hash: sha256("lease"), metadata });
    page = await (await stage.window({ bypassCSP: true, acceptDownloads: true, reducedMotion: "reduce" })).newPage();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  it("says what was recorded, when and where, and verifies it in the browser", async () => {
    const { proof } = (await stage.server.get(`/api/v1${path}`)).body;
    assert.equal((await stage.server.get(path)).status, 200);
    await page.goto(path);
    await onlyVerdict(page, "Verified");
    for (const text of [
      id,
      proof.hash,
      "contract",
      "archive",
      "2023-11-14 22:13:20 UTC",
      proof.contract,
      proof.tx_hash,
    ])
      await page.getByText(text, { exact: true }).first().waitFor();
    await page.getByRole("img", { name: "The transaction in the explorer" }).waitFor();
    // It says what was not looked at.
    await page.getByText("The chain as this server shows it", { exact: true }).waitFor();
    await page.getByText("The seals of validators were not checked").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("link", { name: proof.tx_hash }).click();
    await page.getByRole("heading", { level: 1, name: "A hash was anchored" }).waitFor();
    await page.goBack();
    await onlyVerdict(page, "Verified");
  });

  it("gives the bundle, and statements as PDF", async () => {
    const saved = async (name: string): Promise<Buffer> => {
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name }).click();
      return readFile(await (await download).path());
    };
    const bundle = (await stage.server.get(`/api/v1${path}?format=bundle`)).text;
    assert.equal(String(await saved("Bundle")), bundle);
    for (const audience of ["court", "regulator", "seller"])
      assert.equal((await saved(`Statement for a ${audience}`)).toString("latin1", 0, 5), "%PDF-", audience);
  });

  it("is printed on one page, and fits a phone", async () => {
    const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
    assert.lengthOf(pdf.match(/\/Type \/Page\b/g) ?? [], 1);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("has room for the longest name", async () => {
    const long = "a".repeat(512);
    await stage.server.post("/api/v1/proof", { document_id: long, hash: sha256("long") });
    await page.goto(`/proof/${long}`);
    await onlyVerdict(page, "Verified");
    assert.equal(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0);
    assert.lengthOf((await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type \/Page\b/g) ?? [], 1);
  });

  it("shows no bundle that is of another record", async () => {
    const other = { document_id: `${id}2`, hash: sha256("lease"), metadata: { timestamp: 1_600_000_000 } };
    await stage.server.post("/api/v1/proof", other);
    const bundle = (await stage.server.get(`/api/v1/proof/${encodeURIComponent(other.document_id)}?format=bundle`))
      .text;
    await page.route("**/api/v1/proof/*format=bundle", (route) =>
      route.fulfill({ body: bundle, contentType: "application/json" }),
    );
    await page.goto(path);
    await page.getByText("The bundle is of another record").waitFor();
    assert.equal(await page.getByText("Verified", { exact: true }).count(), 0);
    await page.unroute("**/api/v1/proof/*format=bundle");
    await page.getByRole("button", { name: "Try again" }).click();
    await onlyVerdict(page, "Verified");
  });

  it("says that a document waits for the chain, or is not there", async () => {
    await page.route("**/api/v1/proof/**", (route) =>
      route.fulfill({
        json: {
          status: "pending",
          id: sha256("id"),
          document_id: id,
          hash: sha256("lease"),
          record_hash: sha256("record"),
          metadata: { timestamp: 1_700_000_000 },
        },
      }),
    );
    await page.goto(path);
    await page.getByText("Accepted, waiting for the chain").waitFor();
    assert.equal(await page.getByText("Verified", { exact: true }).count(), 0);
    assert.equal(await page.getByRole("button", { name: "Statement for a court" }).count(), 0);
    await page.unroute("**/api/v1/proof/**");
    await page.goto("/proof/nothing");
    await page.getByText("Nothing is recorded under this name").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
  });
});
