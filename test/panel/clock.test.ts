import { assert } from "chai";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { giveFiles, sha256 } from "../support/dropped-files.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { ROUTES } from "../support/server.ts";
import { logIn } from "./steps.ts";

/** A time as the pages show it first. */
const UTC = /\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\b/g;
/** Zones on both sides of UTC: one moment has two dates in them. */
const ZONES = ["Pacific/Kiritimati", "America/Los_Angeles"] as const;

describeInBrowser("times on the pages", function () {
  let stage: PanelStage;
  let transaction: string;
  const document = "a document";

  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "3600" });
    const { server } = stage;
    const { body } = await server.post("/api/v1/proof", { document_id: "document.txt", hash: sha256(document) });
    transaction = body.proof.tx_hash;
    const token = await server.login();
    const payload = {
      sensorvalue: 12,
      sensordevice: "a",
      enrichment: { position: { lng: 100, lat: 13 }, title: "Roof" },
    };
    await server.call(ROUTES.store, { token }, { code: "station", topic: "PM2.5", payload });
  });
  after(() => stage?.[Symbol.asyncDispose]());

  /** Opens each page that shows the time of something that does not change, and returns its times. */
  const PAGES: readonly (readonly [name: string, open: (page: Page) => Promise<unknown>])[] = [
    [
      "a transaction",
      (page) => page.goto(`/explorer/tx/${transaction}`).then(() => page.locator("time").first().waitFor()),
    ],
    [
      "a verdict",
      async (page) => {
        await page.goto("/verify");
        await giveFiles(page, ["document.txt", document]);
        await page.locator(".facts time").waitFor();
      },
    ],
    [
      "the records",
      async (page) => {
        await page.goto("/");
        await logIn(page, stage.server.demo);
        await page.goto("/#/records");
        await page.locator(".record time").first().waitFor();
      },
    ],
    [
      "a sensor of the map",
      async (page) => {
        await page.goto("/#/map");
        await page.locator(".air-choose").click();
        await page.locator(".air .table time").waitFor();
      },
    ],
  ];

  it("are in UTC first, the same for everybody, and then in the reader's own zone", async () => {
    const [east, west] = await Promise.all(
      ZONES.map(async (timezoneId) => (await stage.window({ timezoneId })).newPage()),
    );
    if (east === undefined || west === undefined) assert.fail();
    for (const [name, open] of PAGES) {
      const texts = [];
      for (const [index, page] of [east, west].entries()) {
        await open(page);
        const time = page.locator("time", { hasText: "UTC" }).first();
        const iso = (await time.getAttribute("datetime")) ?? "";
        assert.equal(await time.textContent(), `${iso.slice(0, 19).replace("T", " ")} UTC`, name);
        const own = (await page.locator(".moment-zone").first().textContent())?.trim();
        const zone = ZONES[index] ?? "";
        const expected = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: zone });
        assert.equal(own, `${expected.format(new Date(iso))} ${zone}`, name);
        texts.push(await time.textContent());
      }
      assert.equal(texts[0], texts[1], name);
    }
    await east.context().close();
    await west.context().close();
  });

  it("are not repeated for readers in UTC, and have no other form", async () => {
    const page = await (await stage.window({ timezoneId: "UTC" })).newPage();
    for (const [name, open] of PAGES) {
      await open(page);
      assert.equal(await page.locator(".moment-zone").count(), 0, name);
      const text = (await page.locator("#view").innerText()).replaceAll(UTC, "");
      assert.notMatch(text, /\d:\d\d|\b(AM|PM)\b/, name);
    }
    await page.context().close();
  });

  it("are copied as ISO", async () => {
    const page = await (await stage.window({ permissions: ["clipboard-read", "clipboard-write"] })).newPage();
    await page.goto(`/explorer/tx/${transaction}`);
    const time = page.locator("time", { hasText: "UTC" }).first();
    await time.selectText();
    await page.keyboard.press("Control+c");
    const copied = await page.evaluate("navigator.clipboard.readText()");
    assert.match(String(copied), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(Date.parse(String(copied)), Date.parse((await time.getAttribute("datetime")) ?? ""));
    await page.context().close();
  });
});
