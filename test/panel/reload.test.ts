import { assert } from "chai";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { content } from "../support/envelope.ts";
import { ROUTES } from "../support/server.ts";
import { fillWithRecords } from "./sample-records.ts";
import { logIn } from "./steps.ts";

const SERIES = 130;
const DRAFT = [
  ["Code", "kept-station"],
  ["PM2.5 in µg/m³", "17.25"],
  ["Sensor or device", "PMS7003"],
  ["Caption", "Балкон"],
  ["Latitude", "50.45"],
  ["Longitude", "30.52"],
] as const;

describeInBrowser("a page that is loaded again, or left by a link and opened again", function () {
  let stage: PanelStage;
  let page: Page;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "3600", STORE_RATE: "100000" });
    await fillWithRecords(stage.server);
    const token = await stage.server.login();
    for (let number = 1; number <= SERIES; number += 1)
      await stage.server.call(ROUTES.store, { token }, { code: `series-${number}`, topic: "many", payload: {} });
    page = await stage.page("/#/records");
    await logIn(page, stage.server.demo);
  });
  after(() => stage?.[Symbol.asyncDispose]());

  const dialog = () => page.getByRole("dialog");
  const position = async () => Number(await page.evaluate("Math.round(scrollY)"));
  const visitExplorer = async (): Promise<void> => {
    await page.goto("/explorer");
    await page.getByRole("heading").first().waitFor();
    await page.goBack();
  };
  /** Checks the page as it is, after a reload, and after a visit of the explorer. */
  async function eachTime(check: () => Promise<void>): Promise<void> {
    await check();
    await page.reload();
    await check();
    await visitExplorer();
    await check();
  }
  async function open(tab: string): Promise<void> {
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: tab }).click();
  }
  async function fillDraft(): Promise<void> {
    await page.getByRole("button", { name: "Send a record" }).click();
    for (const [label, value] of DRAFT) await dialog().getByLabel(label, { exact: true }).fill(value);
  }
  const stored = async (code: string): Promise<number> => {
    const search = { search: { target: "1", value: code } };
    const response = await stage.server.call(ROUTES.search, { token: await stage.server.login() }, search);
    return content(response, ROUTES.search).tparams.events.length;
  };

  it("has the search, all records that were shown, and its position", async () => {
    const code = page.getByRole("search").getByLabel("Code", { exact: true });
    await code.fill("series-*");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("100 records shown").waitFor();
    await page.getByRole("button", { name: "Show older records" }).click();
    const all = page.getByText(`${SERIES} records shown`);
    await all.waitFor();
    await page.mouse.move(600, 600);
    const top = (await position()) - 1_234;
    assert.isAbove(top, 1_000);
    await page.mouse.wheel(0, -1_234);
    await eventually(async () => assert.equal(await position(), top));
    await eventually(async () =>
      assert.include(await page.evaluate(() => sessionStorage.getItem("sealbook.scroll")), String(top)),
    );
    const isThere = async (): Promise<void> => {
      await all.waitFor();
      assert.equal(await code.inputValue(), "series-*");
      await eventually(async () => assert.equal(await position(), top));
    };
    await eachTime(isThere);
    await open("Proofs");
    await page.getByRole("heading", { level: 1, name: "Proofs" }).waitFor();
    await eventually(async () => assert.equal(await position(), 0));
    await open("Records");
    await isThere();
  });

  it("has the draft of a record, in its dialog", async () => {
    await fillDraft();
    await eachTime(async () => {
      for (const [label, value] of DRAFT)
        assert.equal(await dialog().getByLabel(label, { exact: true }).inputValue(), value);
    });
    await dialog().getByRole("button", { name: "Cancel" }).click();
  });

  it("stores a record once whose response got lost, when it is sent again", async () => {
    let lost = 0;
    await page.route("/api", async (route) => {
      if (!route.request().postData()?.includes("event/store")) return route.continue();
      await route.fetch();
      lost += 1;
      await route.abort();
    });
    await fillDraft();
    await dialog().getByRole("button", { name: "Send", exact: true }).click();
    // The client has repeated it by itself.
    await eventually(() => Promise.resolve(assert.isAbove(lost, 1)));
    await page.reload();
    await page.unroute("/api");
    await dialog().getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("is on the chain.").waitFor();
    assert.equal(await stored("kept-station"), 1);

    // The same input again is another record.
    await page.getByRole("button", { name: "Send a record" }).click();
    await dialog().getByLabel("PM2.5 in µg/m³").fill("17.25");
    await dialog().getByRole("button", { name: "Send", exact: true }).click();
    await dialog().waitFor({ state: "hidden" });
    assert.equal(await stored("kept-station"), 2);
  });

  it("has the input and the result of Decode", async () => {
    const hash = "ab".repeat(32);
    const { proof } = (await stage.server.post("/api/v1/proof", { document_id: "anchored", hash })).body;
    const anchored = (await stage.server.get(`/explorer/api/transactions/${proof.tx_hash}`)).body.input;
    await page.goto("/decode");
    const input = page.getByRole("textbox", { name: "Call data or transaction hash" });
    const decode = () => page.getByRole("button", { name: "Decode" }).click();
    await input.fill(`${anchored.slice(0, 10)}${"cd".repeat(32)}`);
    await decode();
    await page.getByText("not on the chain", { exact: true }).waitFor();
    await input.fill(anchored);
    await decode();
    await eachTime(async () => {
      await page.locator(`main a[href^="/explorer/anchor/"]`).first().waitFor();
      assert.equal(await input.inputValue(), anchored);
    });
    await input.fill("0x1234");
    await eachTime(async () => assert.equal(await input.inputValue(), "0x1234"));
  });

  it("has the time, the sensor and the part of the world that the map shows", async () => {
    await open("Map");
    await page.locator(".air-point").first().waitFor();
    await page.getByRole("slider").fill("95");
    await page.getByRole("slider").fill("96");
    await page.locator("tbody").getByRole("button").first().click();
    const sensor = page.locator("#air-sensor");
    const caption = await sensor.textContent();
    await page.getByRole("button", { name: "Zoom in" }).click();
    const view = () => page.evaluate(() => sessionStorage.getItem("sealbook.map.view"));
    const chosen = await eventually(async () => (await view()) ?? assert.fail("no view is kept"));
    await eachTime(async () => {
      await sensor.waitFor();
      assert.equal(await sensor.textContent(), caption);
      assert.equal(await view(), chosen);
    });
    await page.getByRole("slider").fill("10");
    await eachTime(async () => {
      await page.getByRole("slider").waitFor();
      assert.equal(await page.getByRole("slider").inputValue(), "10");
    });
  });

  it("has nothing of that after a logout, or for another account", async () => {
    const kept = () => page.evaluate(() => Object.keys(sessionStorage).filter((key) => key !== "sealbook.scroll"));
    await page.getByRole("button", { name: "Log out" }).click();
    await page.locator("form.login").waitFor();
    assert.deepEqual(await kept(), []);
    await logIn(page, stage.server.demo);
    await open("Records");
    await page.getByRole("search").getByLabel("Code", { exact: true }).fill("of the first account");
    await page.getByRole("search").getByRole("button", { name: "Search" }).click();
    await page.getByText("No matching records").waitFor();
    await page.evaluate(() => localStorage.removeItem("sealbook.session"));
    await page.reload();
    const other = (await stage.server.context.accounts?.create("full")) ?? assert.fail("no administrator");
    await logIn(page, other);
    await open("Records");
    assert.equal(await page.getByRole("search").getByLabel("Code", { exact: true }).inputValue(), "");
    assert.equal(await page.evaluate("location.search"), "");
    assert.deepEqual(
      stage.complaints.filter((text) => !text.includes("Failed to load")),
      [],
    );
  });
});
