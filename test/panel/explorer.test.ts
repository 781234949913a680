import { assert } from "chai";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { seriousViolations } from "../support/accessibility.ts";
import { sha256 } from "../support/dropped-files.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { ROUTES } from "../support/server.ts";
import { logIn } from "./steps.ts";

describeInBrowser("the explorer page", function () {
  let stage: PanelStage;
  let page: Page;
  let one: ParsedJson;
  let batch: ParsedJson;
  let record: ParsedJson;
  /** Opens a path; all tests use one page. */
  const open = async (path: string): Promise<void> => void (await page.goto(path));
  const title = (text: string | RegExp) => page.getByRole("heading", { level: 1, name: text }).waitFor();

  before(async () => {
    stage = await openPanel({}, { settings: { explorer: { rate: 100_000 } } });
    const { server } = stage;
    one = (await server.post("/api/v1/proof", { document_id: "contract", hash: sha256("contract") })).body;
    const documents = Array.from({ length: 13 }, (_, index) => ({
      document_id: `order ${index}`,
      hash: sha256(`order ${index}`),
    }));
    batch = (await server.post("/api/v1/proof/batch", { documents })).body;
    const token = await server.login();
    await server.call(ROUTES.store, { token }, { code: "station-1", topic: "PM2.5", payload: { sensorvalue: 12.5 } });
    [record] = (await server.get(`/explorer/api/addresses/${server.demo.login}/activity`)).body.activity;
    // The page's policy blocks axe; the panel's tests check the policy.
    page = await (await stage.window({ bypassCSP: true, reducedMotion: "reduce" })).newPage();
  });
  after(() => stage[Symbol.asyncDispose]());

  it("shows the newest blocks and anchors, and links to them", async () => {
    await open("/explorer");
    await title("Explore the chain");
    await page.getByText("13 hashes under one root").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("link", { name: String(batch.batch.block_number), exact: true }).click();
    await title(`Block ${batch.batch.block_number}`);
    assert.equal(new URL(page.url()).pathname, `/explorer/block/${batch.batch.block_number}`);
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole("link", { name: "Next" }).click();
    await title(`Block ${batch.batch.block_number + 1}`);
    await page.goBack();
    await title(`Block ${batch.batch.block_number}`);
  });

  it("opens from the link of a proof, without a login", async () => {
    assert.equal(batch.proofs[0].verification_url, `${stage.server.url}/explorer/tx/${batch.batch.tx_hash}`);
    await open(batch.proofs[0].verification_url);
    await title("The root of 13 hashes was anchored");
    await page.getByText("on the chain", { exact: true }).waitFor();
    await page.getByText("Call: anchorBatch(bytes32,uint32)").click();
    await page.getByRole("region", { name: "Arguments of the call" }).getByText(batch.batch.root).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(await page.context().cookies(), []);
  });

  it("shows a record with its payload and signer", async () => {
    await open(`/explorer/tx/${record.tx_hash}`);
    await title("Record station-1");
    await page.getByText("the sender's signature").waitFor();
    assert.include(await page.getByRole("region", { name: "Payload" }).innerText(), '"sensorvalue": 12.5');
    await page.getByRole("link", { name: stage.server.demo.login }).first().click();
    await title("Account");
    await page.getByText("Row 1 of table events written").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("does not title a transaction with what it did not do", async () => {
    const path = `/explorer/api/transactions/${one.proof.tx_hash}`;
    for (const status of ["reverted", "pending"]) {
      await page.route(`**${path}`, async (route) => {
        const response = await route.fetch();
        const reason = `AccessControlUnauthorizedAccount(${stage.server.demo.login}, 0x${"1".repeat(64)})`;
        const json = { ...(await response.json()), status, ...(status === "reverted" ? { reason } : {}) };
        await route.fulfill({ response, json });
      });
      await open(`/explorer/tx/${one.proof.tx_hash}`);
      const expected = `Anchor (${status === "pending" ? "waiting" : status})`;
      await title(expected);
      await eventually(async () => assert.include(await page.title(), expected));
      assert.equal(await page.getByText("A hash was anchored").count(), 0);
      const why = page.getByText("The sender is not a relayer of this contract.");
      assert.equal(await why.count(), status === "reverted" ? 1 : 0);
      await page.unroute(`**${path}`);
    }
    await open(`/explorer/tx/${one.proof.tx_hash}`);
    await title("A hash was anchored");
  });

  it("finds by block number, hash and address", async () => {
    const search = async (text: string, expected: string | RegExp): Promise<void> => {
      await page.getByRole("searchbox").fill(text);
      await page.getByRole("button", { name: "Search" }).click();
      await title(expected);
    };
    await open("/explorer");
    await search(String(one.proof.block_number), `Block ${one.proof.block_number}`);
    await search(one.proof.tx_hash, "A hash was anchored");
    await search(one.proof.block_hash, `Block ${one.proof.block_number}`);
    await search(one.id, "Anchored hash");
    await search(batch.batch.root.slice(2), "Anchored batch");
    await search(stage.server.demo.login, "Account");
    await search(one.proof.contract, "Proof anchor");
  });

  it("lists blocks, transactions and anchors in pages with addresses of their own", async () => {
    const rows = () => page.locator("tbody tr td:first-child a").allTextContents();
    const listed = async (path: string): Promise<string[]> => {
      await open(`/explorer/${path}`);
      await page.locator("tbody").waitFor();
      return rows();
    };
    const { number } = (await stage.server.get("/explorer/api/chain")).body.head;
    for (let more = 26 - number; more > 0; more -= 1)
      await stage.server.post("/api/v1/proof", { document_id: `more ${more}`, hash: sha256(`more ${more}`) });
    const newest = await listed("blocks");
    assert.lengthOf(newest, 25);
    await page.getByRole("link", { name: "Older" }).click();
    await eventually(async () => assert.notDeepEqual(await rows(), newest));
    const older = await rows();
    assert.equal(Number(older[0]), Number(newest.at(-1)) - 1);
    await page.reload();
    await page.locator("tbody").waitFor();
    assert.deepEqual(await rows(), older);
    await page.goBack();
    await eventually(async () => assert.deepEqual(await rows(), newest));
    assert.deepEqual(await seriousViolations(page), []);

    await listed("transactions");
    await page.getByText("Session", { exact: true }).first().waitFor();
    await page.getByRole("checkbox", { name: "Without those of sessions" }).check();
    await page.getByText("Session", { exact: true }).first().waitFor({ state: "hidden" });
    assert.equal(new URL(page.url()).search, "?without=sessions");
    assert.equal(await page.evaluate<string>("document.activeElement.type"), "checkbox");
    await page.getByText("Record", { exact: true }).first().waitFor();
    await page.goBack();
    await page.getByText("Session", { exact: true }).first().waitFor();
    await open("/explorer/transactions?cursor=x");
    await page.getByText("The input is invalid").waitFor();
    await page.getByRole("link", { name: "Newest" }).click();
    await page.getByText("Session", { exact: true }).first().waitFor();
    assert.isAbove((await listed("anchors")).length, 1);
  });

  it("finds records and documents, for readers with an account", async () => {
    const member = await stage.page("/records");
    await logIn(member, stage.server.demo);
    const token = await stage.server.login();
    await stage.server.call(ROUTES.store, { token }, { code: "3", topic: "numbers", payload: {} });
    await stage.server.post("/api/v1/proof", { document_id: "order 6", hash: sha256("order 6, changed") });
    for (const [text, expected] of [
      ["station-1", ["station-1"]],
      ["ORDER 1", ["order 1", "order 10", "order 11", "order 12"]],
      ["3", ["3"]],
      [sha256("order 5"), ["order 5"]],
      [sha256("order 6"), ["The record with this id or content; its document can have newer ones"]],
    ] as const) {
      await member.goto(`/explorer/search/${encodeURIComponent(text)}`);
      await eventually(async () =>
        assert.includeMembers(await member.locator("main .list a").allTextContents(), [...expected]),
      );
    }
    await member.goto("/explorer/search/3");
    await member.getByText("Block", { exact: true }).waitFor();
  });

  it("shows a message for missing items and invalid input", async () => {
    for (const [path, expected] of [
      [`search/${sha256("nothing")}`, "No results on this chain"],
      ["search/hello", "Nothing found"],
      ["block/999999", "Block not found"],
      [`tx/0x${sha256("nothing")}`, "Transaction not found"],
      ["tx/abc", "Transaction not found"],
      ["anchor/zz", "This hash was not anchored"],
      ["block/abc", "Block not found"],
      [`anchor/0x${sha256("nothing")}`, "This hash was not anchored"],
      ["address/nobody", "Invalid address"],
      ["nowhere", "Page not found"],
      ["../nowhere", "Page not found"],
    ] as const) {
      await open(`/explorer/${path}`);
      await page.getByText(expected).first().waitFor();
    }
    // Programs get the error, readers a page with the same status.
    const accepting = (accept: string) => stage.server.get("/nowhere", { headers: { Accept: accept } });
    for (const [accept, type] of [
      ["text/html,*/*;q=0.8", /^text\/html/],
      ["*/*", /^application\/problem\+json/],
    ] as const) {
      const { status, headers } = await accepting(accept);
      assert.equal(status, 404);
      assert.match(headers.get("content-type") ?? "", type);
    }
    assert.deepEqual(await seriousViolations(page), []);
  });

  it("shows that the chain is unreachable, and recovers on retry", async () => {
    const unavailable = {
      type: "urn:sealbook:problem:chain_unavailable",
      title: "The chain is not reachable",
      status: 503,
      detail: "the chain's node does not answer",
    };
    await page.route("**/explorer/api/**", (route) =>
      route.fulfill({ status: 503, contentType: "application/problem+json", body: JSON.stringify(unavailable) }),
    );
    await open(`/explorer/tx/${one.proof.tx_hash}`);
    await page.getByText("The chain is not reachable").waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.unroute("**/explorer/api/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await title("A hash was anchored");
  });

  it("says on the page that the chain or the server does not respond, until it does", async () => {
    await open("/explorer/nowhere");
    const isThere = (text: string) => page.getByText(text, { exact: true }).waitFor();
    const isGone = (text: string) => page.getByText(text, { exact: true }).waitFor({ state: "hidden" });
    await page.route("**/readyz", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), node_responds: false } });
    });
    await isThere("No response from the chain");
    await page.unroute("**/readyz");
    // A server that accepts the connection and does nothing.
    await page.route("**/readyz", () => undefined);
    await isThere("No response from the server");
    await isGone("No response from the chain");
    assert.deepEqual(await seriousViolations(page), []);
    await page.unroute("**/readyz");
    await isGone("No response from the server");
  });

  it("fits a phone, in dark mode and in Russian", async () => {
    const phone = await (
      await stage.window({
        viewport: { width: 360, height: 740 },
        colorScheme: "dark",
        locale: "ru-RU",
        bypassCSP: true,
      })
    ).newPage();
    for (const path of ["", `/tx/${batch.batch.tx_hash}`, `/address/${stage.server.demo.login}`]) {
      await phone.goto(`/explorer${path}`);
      await phone.locator(".card").first().waitFor();
      assert.equal(await phone.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0, path);
      assert.deepEqual(await seriousViolations(phone), [], path);
    }
  });

  it("contacts only its own server, without errors in the browser", () => {
    for (const address of stage.requested) assert.equal(new URL(address).origin, stage.server.url);
    // The browser logs the missing items and the simulated outage.
    assert.deepEqual(
      stage.complaints.filter((text) => !/status of (400|404|503)/.test(text)),
      [],
    );
  });
});
