import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { assert } from "chai";
import { strFromU8, unzipSync } from "fflate";
import type { Page, Request } from "playwright-core";
import { seriousViolations } from "../support/accessibility.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { giveFiles, onlyVerdict, sha256, startAgain, verdictsOf } from "../support/dropped-files.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { logIn } from "./steps.ts";

/** Returns the file that the page saves. */
async function downloaded(page: Page, act: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return readFile(await download.path());
}

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
    const results = page.getByRole("region", { name: "Results" });
    await results.getByText("minutes of May", { exact: true }).waitFor();
    const { proof } = (await stage.server.get("/api/v1/proof/minutes%20of%20May")).body;
    assert.deepInclude(proof, { hash: sha256(document), document_id: "minutes of May" });
    assert.equal(proof.metadata.type, "minutes");
    assert.equal(
      await results.getByRole("link", { name: /^0x/ }).getAttribute("href"),
      `/explorer/tx/${proof.tx_hash}`,
    );
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

  it("go on by themselves after a time without the server", async () => {
    await startAgain(page);
    const files = Array.from(
      { length: 1_001 },
      (_, index) => [`outage ${index}`, `${document} outage ${index}`] as const,
    );
    await giveFiles(page, ...files);
    await page.getByRole("heading", { name: "Record the 1,001 files not recorded yet" }).waitFor();
    // The second batch, and everything after it.
    let sent = 0;
    const path = "**/api/v1/**";
    await page.route(path, (route) => {
      sent += route.request().url().endsWith("/batch") ? 1 : 0;
      return sent < 2 ? route.continue() : route.abort();
    });
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("It goes on by itself.").waitFor();
    await page.getByText("1,000 of 1,001 recorded").waitFor();
    assert.equal(await page.getByText("Cannot be said").count(), 0);
    await page.unroute(path);
    await page.getByText("Recorded 1,001", { exact: true }).waitFor();
    assert.equal(await page.locator("form .notice-bad").count(), 0);
  });

  it("say that files with one name are versions of one document", async () => {
    await startAgain(page);
    await giveFiles(page, ["same.txt", `${document} one`], ["same.txt", `${document} two`]);
    await page.getByText("Files with the name of another one: 1").waitFor();
    await page.getByRole("button", { name: "Record", exact: true }).click();
    await page.getByText("Recorded 2", { exact: true }).waitFor();
    assert.equal((await stage.server.get("/api/v1/proof/same.txt")).body.proof.hash, sha256(`${document} two`));
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
    await page.getByRole("button", { name: "Cancel" }).click();
    await startAgain(page);
    await giveFiles(page, ["public.txt", `${document} public`]);
    assert.equal(await page.locator("form .notice-bad").count(), 0);
    await record();
    await refused(2);
    await page.getByRole("button", { name: "Cancel" }).click();
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

  describe("with many files", () => {
    const path = "**/api/v1/proof/batch";
    const many = Array.from(
      { length: 2_100 },
      (_, index) => [`many ${index}.txt`, `${document} ${index} of many`] as const,
    );
    const recorded = () => page.locator("section.recorded");
    const search = async (text: string): Promise<void> => {
      await recorded().getByLabel("Part of a name").fill(text);
      await recorded().getByRole("button", { name: "Search" }).click();
    };
    const names = () => recorded().locator("tbody .proofs-name").allTextContents();

    it("go on after the page was closed in the middle, with each batch under its key", async () => {
      await startAgain(page);
      const sent: { key: string | undefined; count: number }[] = [];
      const keep = (request: Request): void => {
        const body: { documents: unknown[] } = JSON.parse(request.postData() ?? "");
        sent.push({ key: request.headers()["idempotency-key"], count: body.documents.length });
      };
      const { promise: isStuck, resolve } = Promise.withResolvers<void>();
      await page.route(path, async (route) => {
        keep(route.request());
        if (sent.length === 1) return route.continue();
        // It arrives, and its response never does.
        await route.fetch();
        resolve();
      });
      await giveFiles(page, ...many);
      await page.getByRole("heading", { name: "Record the 2,100 files not recorded yet" }).waitFor();
      await page.getByRole("button", { name: "Record", exact: true }).click();
      await page.getByText("1,000 of 2,100 recorded").waitFor();
      await isStuck;
      const context = page.context();
      await page.close();
      page = await context.newPage();
      await page.route(path, (route) => {
        keep(route.request());
        return route.continue();
      });
      // Any section continues it.
      await page.goto("/");
      await eventually(async () => assert.lengthOf(sent, 4));
      assert.deepEqual(
        sent.map(({ count }) => count),
        [1_000, 1_000, 1_000, 100],
      );
      assert.equal(sent[1]?.key, sent[2]?.key);
      assert.lengthOf([...new Set(sent.map(({ key }) => key))], 3);
      await page.getByRole("link", { name: "Proofs" }).click();
      await search("many");
      await eventually(async () => assert.deepEqual((await names()).slice(0, 2), ["many 2099.txt", "many 2098.txt"]));
      const { body } = await stage.server.get("/api/v1/proof/many%201500.txt");
      assert.isEmpty(body.history ?? [], "recorded once");
      assert.isNull(await page.evaluate(() => localStorage.getItem("sealbook.recording")));
    });

    it("are recorded by one tab at a time, and a cancelled recording waits for what it has sent", async () => {
      await startAgain(page);
      const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
      await page.route(path, async (route) => {
        await isAnswered;
        await route.continue();
      });
      await giveFiles(page, ["in this tab.txt", `${document} this tab`]);
      const record = (tab: Page) => tab.getByRole("button", { name: "Record", exact: true }).click();
      await record(page);
      await page.getByText("0 of 1 recorded").waitFor();
      const other = await page.context().newPage();
      await other.goto("/proofs");
      await giveFiles(other, ["in another tab.txt", `${document} another tab`]);
      await record(other);
      await other.getByText("Another tab of this browser records files").waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByText("Ends when the server has answered").waitFor();
      assert.isNotNull(await page.evaluate(() => localStorage.getItem("sealbook.recording")));
      answer();
      await onlyVerdict(page, "This content is recorded, according to this server");
      await record(other);
      await onlyVerdict(other, "This content is recorded, according to this server");
      await other.close();
      await page.unroute(path);
    });

    it("are listed newest first, and found by a part of the name, a SHA-256, a proof id, and a date", async () => {
      await search("MANY 20");
      await eventually(async () => assert.lengthOf(await names(), 50));
      await recorded().getByRole("button", { name: "Show more" }).click();
      await eventually(async () => assert.lengthOf(await names(), 100));
      await recorded().getByRole("button", { name: "Show more" }).click();
      await recorded().getByText("That is all: 111").waitFor();
      await search(sha256(many[7]?.[1] ?? ""));
      await eventually(async () => assert.deepEqual(await names(), ["many 7.txt"]));
      const { proof } = (await stage.server.get("/api/v1/proof/many%207.txt")).body;
      await search(proof.id);
      const link = recorded().getByRole("link", { name: "The record with this id or content" });
      assert.equal(await link.getAttribute("href"), `/proof/${proof.id}`);
      await recorded().getByLabel("To", { exact: true }).fill("2020-01-01");
      await search("many");
      await recorded().getByText("Nothing found").waitFor();
      await recorded().getByLabel("To", { exact: true }).fill("");
      assert.deepEqual(await seriousViolations(page), []);
    });

    it("are saved as one zip of bundles, and as a table", async () => {
      await search("many 11");
      await recorded().getByRole("button", { name: "Select all 50" }).click();
      await recorded().getByLabel("Select many 11.txt").waitFor({ state: "detached" });
      await recorded().getByLabel("Select many 1199.txt").uncheck();
      const zip = await downloaded(page, () => recorded().getByRole("button", { name: "Bundles as zip: 49" }).click());
      const files = unzipSync(zip);
      assert.lengthOf(Object.keys(files), 49);
      const bundle = JSON.parse(strFromU8(files["many 1198.txt.bundle.json"] ?? new Uint8Array()));
      assert.equal(bundle.record.hash, sha256(many[1_198]?.[1] ?? ""));
      const csv = await downloaded(page, () => recorded().getByRole("button", { name: "Save as CSV" }).click());
      const lines = csv.toString("utf8").trim().split("\n");
      assert.lengthOf(lines, 50);
      assert.include(lines[1], sha256(many[1_198]?.[1] ?? ""));
    });

    it("are compared with the records of their names: what differs and what is missing is listed", async () => {
      await page.goto("/proofs");
      await giveFiles(page, ...many.slice(0, 3), ["many 3.txt", "changed"], ["new.txt", "new"]);
      await verdictsOf(page, 5);
      const card = page.locator("section.comparison");
      await card.getByRole("button", { name: "Compare files: 5" }).click();
      await card.getByText("files compared: 5").waitFor();
      await eventually(async () => {
        const kinds = await card.getByRole("radiogroup").first().locator("label").allTextContents();
        assert.deepEqual(kinds, ["Differ 1", "Missing 100+", "Not recorded 1", "Match 3"]);
      });
      assert.deepEqual(await card.locator("tbody .proofs-name").allTextContents(), ["many 3.txt"]);
      await card.getByText("Missing 100+").click();
      const missing = await card.locator("tbody .proofs-name").allTextContents();
      assert.deepEqual(missing.slice(0, 3), ["in another tab.txt", "in this tab.txt", "many 2099.txt"]);
      assert.deepEqual(await seriousViolations(page), []);
      await page.reload();
      await card.getByRole("button", { name: "Show the newest comparison" }).click();
      await card.getByText("files compared: 5").waitFor();
      assert.include(await card.getByRole("radiogroup").first().textContent(), "Missing 100+");
    });
  });
});
