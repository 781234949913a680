import { randomBytes } from "node:crypto";
import { assert } from "chai";
import type { Page, Request } from "playwright-core";
import { seriousViolations } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { giveFiles, onlyVerdict, sha256, startAgain, verdictsOf } from "../support/dropped-files.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { logIn } from "./steps.ts";

describeInBrowser("the panel's proofs", function () {
  let stage: PanelStage;
  let page: Page;
  const document = `minutes of the meeting ${randomBytes(8).toString("hex")}`;

  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "600" });
    page = await (await stage.window({ bypassCSP: true, reducedMotion: "reduce" })).newPage();
    await page.goto("/");
    await logIn(page, stage.server.demo);
    await page.getByRole("link", { name: "Proofs" }).click();
    await page.getByRole("heading", { level: 1, name: "Proofs" }).waitFor();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  it("record a file that is not recorded, under a name of the user's choice", async () => {
    await giveFiles(page, ["minutes.txt", document]);
    await onlyVerdict(page, "This content is not recorded, according to this server");
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByLabel("Document id").fill(" ");
    await page.getByText("A document id has 1 to 512 characters").waitFor();
    await page.getByLabel("Document id").fill("minutes of May");
    await page.getByLabel("Type of document").fill("minutes");
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await onlyVerdict(page, "This content is recorded, according to this server");
    await page.getByText("minutes of May", { exact: true }).waitFor();
    const { proof } = (await stage.server.get("/api/v1/proof/minutes%20of%20May")).body;
    assert.deepInclude(proof, { hash: sha256(document), document_id: "minutes of May" });
    assert.equal(proof.metadata.type, "minutes");
    assert.equal(await page.getByRole("link", { name: /^0x/ }).getAttribute("href"), `/explorer/tx/${proof.tx_hash}`);
  });

  it("keep files and results while another tab is shown, and not for another account", async () => {
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByLabel("ASC token").waitFor();
    await page.getByRole("link", { name: "Proofs" }).click();
    await onlyVerdict(page, "This content is recorded, according to this server");
    await page.getByRole("button", { name: "Log out" }).click();
    const other = (await stage.server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    await logIn(page, other);
    await page.getByRole("link", { name: "Proofs" }).click();
    await page.locator(".drop").waitFor();
    assert.equal(await page.getByText("minutes.txt").count(), 0);
  });

  it("record the files of many that are not recorded, in one transaction", async () => {
    await startAgain(page);
    const files = Array.from({ length: 12 }, (_, index) => [`folder/${index}.txt`, `${document} ${index}`] as const);
    await giveFiles(page, ["minutes.txt", document], ...files.map(([name, text]) => [name.slice(7), text] as const));
    await verdictsOf(page, 13);
    await page.getByRole("heading", { name: "Record the 12 files not recorded yet" }).waitFor();
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("Recorded 13", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Record", exact: true }).count(), 0);
    const found = await Promise.all(files.map(([name]) => stage.server.get(`/api/v1/proof/${name.slice(7)}`)));
    assert.lengthOf([...new Set(found.map(({ body }) => body.proof.tx_hash))], 1);
  });

  it("repeat a batch whose response was lost, as it was, and record no file that is accepted again", async () => {
    await startAgain(page);
    const requests: { key: string | undefined; body: string | null }[] = [];
    const path = "**/api/v1/proof/batch";
    const keep = (request: Request): void =>
      void requests.push({ key: request.headers()["idempotency-key"], body: request.postData() });
    await page.route(path, async (route) => {
      keep(route.request());
      await route.fetch();
      await route.abort();
    });
    await giveFiles(page, ["lost 1.txt", `${document} lost 1`], ["lost 2.txt", `${document} lost 2`]);
    await verdictsOf(page, 2);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await eventually(async () => assert.isNotEmpty(requests));
    await page.unroute(path);
    await page.route(path, (route) => {
      keep(route.request());
      return route.continue();
    });
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("link", { name: "Proofs" }).click();
    await page
      .getByText(/^(Recorded 2|Accepted, waiting for the chain)$/)
      .first()
      .waitFor();
    assert.isAtLeast(requests.length, 1);
    assert.lengthOf([...new Set(requests.map(({ key, body }) => `${key} ${body}`))], 1);
    await page.unroute(path);
  });

  it("forget a batch that the server refused when its files are taken away or renamed", async () => {
    await startAgain(page);
    const path = "**/api/v1/proof/batch";
    const sent: string[] = [];
    await page.route(path, (route) => {
      sent.push(route.request().postData() ?? "");
      return sent.length < 3
        ? route.fulfill({ status: 403, contentType: "text/html", body: "a proxy refuses" })
        : route.continue();
    });
    const record = () => page.getByRole("button", { name: "Record", exact: true }).click();
    const refused = (count: number) =>
      eventually(async () => {
        assert.lengthOf(sent, count);
        assert.equal(await page.locator("form .notice-bad").count(), 1);
      });
    await giveFiles(page, ["secret plan.txt", `${document} secret`]);
    await record();
    await refused(1);
    await startAgain(page);
    await giveFiles(page, ["public.txt", `${document} public`]);
    assert.equal(await page.locator("form .notice-bad").count(), 0);
    await record();
    await refused(2);
    await page.getByLabel("Document id").fill("public paper");
    await record();
    await onlyVerdict(page, "This content is recorded, according to this server");
    await page.unroute(path);
    assert.deepEqual(
      sent.map((body) => JSON.parse(body).documents.map(({ document_id: id }: { document_id: string }) => id)),
      [["secret plan.txt"], ["public.txt"], ["public paper"]],
    );
  });

  it("leave out a file whose path is too long, and say so", async () => {
    await startAgain(page);
    await giveFiles(page, [`${"long ".repeat(120)}.txt`, `${document} long`], ["short.txt", `${document} short`]);
    await verdictsOf(page, 2);
    await page.getByText("Not to be recorded, because of their paths: 1").waitFor();
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("Recorded 1", { exact: true }).waitFor();
    assert.equal((await stage.server.get("/api/v1/proof/short.txt")).body.proof.hash, sha256(`${document} short`));
  });
});
