import { readFile } from "node:fs/promises";
import { assert } from "chai";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { rpcCall } from "../support/rpc.ts";
import { ROUTES } from "../support/server.ts";
import { callDataVectors } from "../vectors/calldata/vectors.ts";
import { fillWithRecords } from "./sample-records.ts";
import { logIn } from "./steps.ts";

const SERIES = 120;

describeInBrowser("the panel's records", function () {
  let stage: PanelStage;
  let page: Page;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "3600", STORE_RATE: "100000" });
    await fillWithRecords(stage.server);
    page = await stage.page("/#/records");
    await logIn(page, stage.server.demo);
    await page.locator(".record").first().waitFor();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  const codes = () => page.locator(".record td:first-child a").allTextContents();
  const form = () => page.getByRole("search");
  async function search(value: string, field: "Code" | "Topic" = "Code"): Promise<void> {
    for (const name of ["Code", "Topic"])
      await form()
        .getByLabel(name, { exact: true })
        .fill(name === field ? value : "");
    const response = page.waitForResponse((response) => response.request().postDataJSON()?.route === ROUTES.search);
    await form().getByRole("button", { name: "Search" }).click();
    await response;
    await page.locator(".record-list[aria-busy=false], .empty").waitFor();
  }
  async function transactionOf(code: string): Promise<{ hash: string; input: string }> {
    const token = await stage.server.login();
    const { body } = await stage.server.call(
      ROUTES.search,
      { token },
      { search: { target: "1", value: code, locations: true } },
    );
    const hash = String(body.content.tparams.locations[0].tx_hash);
    return { hash, input: (await rpcCall(stage.server.chainUrl, "eth_getTransactionByHash", hash)).input };
  }
  async function decode(text: string): Promise<void> {
    await page.goto("/#/decode");
    await page.getByRole("textbox").fill(text);
    await page.getByRole("button", { name: "Decode" }).click();
  }

  it("are a table, newest first, with the values of their payloads, sender, time and transaction", async () => {
    assert.deepEqual(await codes(), ["hkt-harbour", "cnx-market", "bkk-roof", "delivery-2041"]);
    const titles = await page.locator(".record-table th").allTextContents();
    assert.deepEqual(titles.slice(0, 4), ["Code", "Topic", "Time", "sensorvalue"]);
    assert.includeMembers(titles, [
      "enrichment.position.lng",
      "enrichment.title",
      "Time",
      "Sent by",
      "Record and block",
    ]);
    const newest = page.locator(".record").first();
    const text = (await newest.textContent()) ?? "";
    for (const shown of ["8.4", "Harbour, Phuket", "PM2.5", "4, block"]) assert.include(text, shown);
    assert.equal(await newest.locator("code[title]").getAttribute("title"), stage.server.demo.login);
    assert.isFalse(Number.isNaN(Date.parse((await newest.locator("time").first().getAttribute("datetime")) ?? "")));
    const { hash } = await transactionOf("hkt-harbour");
    assert.equal(await newest.getByRole("link").getAttribute("href"), `/explorer/tx/${hash}`);
  });

  it("are found by code and by topic, with wildcards", async () => {
    await search("*-roof");
    assert.deepEqual(await codes(), ["bkk-roof"]);
    await search("cold*", "Topic");
    assert.deepEqual(await codes(), ["delivery-2041"]);
    await search("roof");
    await page.getByText("No matching records").waitFor();
  });

  it("are found by all conditions in the address, and are saved as a table", async () => {
    await page.goto("/records?topic=PM*&sender=" + stage.server.demo.login.slice(2, 12).toLowerCase());
    await page.locator(".record").first().waitFor();
    assert.deepEqual(await codes(), ["hkt-harbour", "cnx-market", "bkk-roof"]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save as CSV" }).click(),
    ]);
    const [titles = "", newest = "", ...others] = (await readFile(await download.path(), "utf8")).trim().split("\n");
    assert.match(titles, /time,code,topic,sender,row_id,block,transaction,overwritten_by,payload\.sensorvalue/);
    assert.include(newest, "hkt-harbour,PM2.5");
    assert.include(newest, '"Harbour, Phuket"');
    assert.lengthOf(others, 2);
    const today = new Date().toISOString().slice(0, 10);
    for (const [query, expected] of [
      ["?sender=0xdead", []],
      [`?from=${today}&code=*-roof`, ["bkk-roof"]],
      ["?to=2020-01-01", []],
      ["?code=bkk-*&topic=cold*", []],
      ["?code=delivery-*&topic=cold*", ["delivery-2041"]],
    ] as const) {
      await page.goto(`/records${query}`);
      await page.locator(".record-list[aria-busy=false], .empty").first().waitFor();
      assert.deepEqual(await codes(), [...expected], query);
    }
    for (const [query, fault] of [
      ["?from=abc&code=*-roof", "A date in the address cannot be read."],
      ["?to=2026-02-30", "A date in the address cannot be read."],
      ["?from=2026-02-02&to=2026-02-01", "The last day is before the first one."],
    ] as const) {
      await page.goto(`/records${query}`);
      await page.getByText(fault).waitFor();
      assert.equal(await page.locator(".record").count(), 0);
    }
    // A search replaces the date that the form does not show.
    await page.goto("/records?from=abc&code=bkk-*");
    await search("");
    assert.equal(await page.evaluate("location.search"), "");
    assert.lengthOf(await codes(), 4);
  });

  it("are sent as a PM2.5 reading once all required fields are valid", async () => {
    await page.getByRole("button", { name: "Send a record" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await eventually(async () => assert.equal(await dialog.locator("[aria-invalid=true]").count(), 6));
    for (const [label, value] of [
      ["Code", "from-the-panel"],
      ["PM2.5 in µg/m³", "17,25"],
      ["Sensor or device", "PMS7003"],
      ["Caption", "Балкон"],
      ["Latitude", "91"],
      ["Longitude", "30.52"],
    ] as const) {
      await dialog.getByLabel(label, { exact: true }).fill(value);
    }
    await page.keyboard.press("Enter");
    await dialog.getByText("Between -90 and 90.").waitFor();
    await dialog.getByLabel("Latitude").fill("50.45");
    await page.keyboard.press("Enter");
    await page.getByText("Record 5 is on the chain.").waitFor();

    const token = await stage.server.login();
    const { body } = await stage.server.call(
      ROUTES.search,
      { token },
      { search: { target: "1", value: "from-the-panel" } },
    );
    const [, , , payload, topic] = body.content.tparams.events[0];
    assert.equal(topic, "PM2.5");
    assert.deepEqual(JSON.parse(Buffer.from(payload, "base64").toString("utf8")), {
      sensorvalue: 17.25,
      sensordevice: "PMS7003",
      enrichment: { position: { lng: 30.52, lat: 50.45 }, title: "Балкон" },
    });
  });

  it("are sent as any JSON; invalid JSON is rejected with the reason", async () => {
    await page.getByRole("button", { name: "Send a record" }).click();
    await page.getByText("Any JSON").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Code" }).fill("any");
    await dialog.getByRole("textbox", { name: "Topic" }).fill("notes");
    for (const [text, complaint] of [
      ["{", /Invalid JSON: \w+/],
      ["[1]", /Enter a JSON object/],
      ["1.0", /Enter a JSON object/],
      ['{"a": 1, "a": 2}', /Invalid JSON: Duplicate key 'a'/],
      ['{"a": {"__proto__": {"price": 100}}}', /Invalid JSON: a key is __proto__/],
    ] as const) {
      await dialog.getByLabel("Payload").fill(text);
      await dialog.getByRole("button", { name: "Send", exact: true }).click();
      await dialog.getByText(complaint).waitFor();
    }
    await dialog
      .getByLabel("Payload")
      .fill('{"note": "ü☃", "list": [1.0, {"two": null}], "large": 1e400, "a.b": 1, "a": {"b": 2, "c": {}}}');
    await dialog.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("Record 6 is on the chain.").waitFor();
    await search("any");
    const shown = await page.locator(".record td").allTextContents();
    assert.includeMembers(shown, ["ü☃", '[1.0, { "two": null }]', "1e400"]);
    assert.includeMembers(await page.locator(".record-table th").allTextContents(), ['"a.b"', "a.b", "a.c"]);
  });

  it("are shown page by page, of which only those in sight are drawn", async () => {
    const token = await stage.server.login();
    for (let number = 1; number <= SERIES; number += 1)
      await stage.server.call(
        ROUTES.store,
        { token },
        { code: `series-${number}`, topic: "many", payload: { number } },
      );
    await search("series-*");
    await page.getByText("100 records shown").waitFor();
    await page.getByRole("button", { name: "Show older records" }).click();
    await page.getByText(`${SERIES} records shown`).waitFor();
    // Only the rows in sight, and some more, are in the page.
    const shown = await codes();
    assert.isBelow(shown.length, SERIES);
    assert.equal(shown.at(-1), "series-1");
    assert.equal(await page.locator(".record-table").getAttribute("aria-rowcount"), String(SERIES + 1));
    await page.evaluate("scrollTo(0, 0)");
    await eventually(async () =>
      assert.deepEqual(
        (await codes()).slice(0, 20),
        Array.from({ length: 20 }, (_, index) => `series-${SERIES - index}`),
      ),
    );
    assert.isFalse(await page.getByRole("button", { name: "Show older records" }).isVisible());
  });

  it("are decoded from a transaction's hash: every field, the signer, and the state on the chain", async () => {
    const { hash } = await transactionOf("bkk-roof");
    await decode(hash);
    await page.getByRole("heading", { level: 1, name: "Record bkk-roof" }).waitFor();
    const text = (await page.locator("main").textContent()) ?? "";
    for (const shown of [
      "the sender's signature",
      "for this chain, contract, table and row id",
      "on the chain",
      stage.server.demo.login,
      "insert",
      "creates a row",
      "2 · events",
      '"sensorvalue": 34.1',
      "tabname",
      "rowid",
      "rowdata",
      "comp",
      "signature",
      "uint256",
    ]) {
      assert.include(text, shown);
    }
  });

  it("are decoded from call data, and found on the chain", async () => {
    const { hash, input } = await transactionOf("delivery-2041");
    await decode(input);
    await page.getByRole("heading", { name: "Record", exact: true }).waitFor();
    await page.getByText("on the chain", { exact: true }).waitFor();
    assert.include((await page.locator("main").textContent()) ?? "", "1 · events");
    assert.equal(
      await page.getByRole("link", { name: hash.slice(0, 10) }).getAttribute("href"),
      `/explorer/tx/${hash}`,
    );
    // The result is there after a reload, and without an account.
    await page.reload();
    await page.getByText("on the chain", { exact: true }).waitFor();
  });

  it("are decoded with their numbers as they were written", async () => {
    await decode((await transactionOf("any")).hash);
    await page.getByRole("heading", { level: 1, name: "Record any" }).waitFor();
    assert.include((await page.locator("main").textContent()) ?? "", '"large": 1e400');
  });

  it("of another chain are decoded and marked as not on this chain", async () => {
    const vector = callDataVectors().find(({ name }) => name === "own-insert-compressed") ?? assert.fail();
    await decode(vector.inputdata);
    await page.getByText(/^(not on the chain|overwritten since)$/).waitFor();
    assert.include((await page.locator("main").textContent()) ?? "", "Call: insert(");
  });

  it("that are invalid are rejected with the reason", async () => {
    const { input } = await transactionOf("bkk-roof");
    for (const [text, complaint] of [
      ["", "Paste call data or a transaction hash."],
      ["0x123", "Enter an even number of hexadecimal digits"],
      ["not hexadecimal", "Enter an even number of hexadecimal digits"],
      ["0xdeadbeef00", "0xdeadbeef is not the selector of a function of the contracts."],
      [`0x${"0".repeat(64)}`, "Transaction not found"],
      [input.slice(0, -64), "The input is invalid"],
    ] as const) {
      await decode(text);
      await page.getByText(complaint).waitFor();
    }
  });
});
