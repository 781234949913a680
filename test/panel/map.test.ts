import { assert } from "chai";
import type { Page } from "playwright-core";
import { CATEGORY_COLOURS } from "../../air-quality/category.ts";
import { describeInBrowser } from "../support/chromium.ts";
import { seriousViolations } from "../support/accessibility.ts";
import { eventually } from "../support/eventually.ts";
import { type PanelStage, openPanel } from "../support/panel.ts";
import { rpcCall } from "../support/rpc.ts";
import { ROUTES, type TestServer } from "../support/server.ts";
import { serveTiles, type TileServer } from "../support/tile-server.ts";
import { logIn } from "./steps.ts";

async function store(server: TestServer, token: string, payload: object, topic = "air"): Promise<void> {
  const response = await server.call(ROUTES.store, { token }, { code: "station", topic, payload });
  assert.equal(response.status, 200, response.text);
}

function reading(device: string, title: string, value: number, lng: number | string, lat: number | string): object {
  return { sensorvalue: value, sensordevice: device, enrichment: { position: { lng, lat }, title } };
}

/** Logs in and opens the map with its first readings. */
async function openMap(stage: PanelStage, options?: Parameters<PanelStage["page"]>[1]): Promise<Page> {
  const page = await stage.page("/", options);
  await logIn(page, stage.server.demo);
  await page.goto(`${stage.server.url}/#/map`);
  await page.locator(".air-point").first().waitFor();
  return page;
}

function point(page: Page, caption: string) {
  return page.locator(".air-point", { has: page.locator(".visually-hidden", { hasText: `${caption}: ` }) });
}

/** Returns the text of a point for screen readers. */
async function pointText(page: Page, caption: string): Promise<string> {
  return (await point(page, caption).locator(".visually-hidden").textContent()) ?? "";
}

function rows(page: Page): Promise<string[]> {
  return page.locator(".air > .table-frame tbody tr").evaluateAll((all) =>
    all.map((row) =>
      [...row.querySelectorAll("td")]
        .slice(0, 3)
        .map((cell) => cell.textContent)
        .join(" | "),
    ),
  );
}

describeInBrowser("The panel's map", function () {
  let stage: PanelStage;
  let page: Page;

  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "600" });
    const { server } = stage;
    const token = await server.login();
    await store(server, token, reading("a", "Roof", 300, 100.5, 13.7));
    await store(server, token, reading("a", "Roof", 12.5, 100.5, 13.7), "PM2.5");
    await store(server, token, reading("b", "Київ", 60, "30.52", "50.45"), "anything");
    await store(server, token, reading("c", "<img src=x onerror=alert(1)>", 3, -74, 40.7));
    await store(server, token, reading("d", "Nowhere", 5, 500, 0));
    await store(server, token, { sensorvalue: "much" });
    page = await openMap(stage);
  });
  after(() => stage[Symbol.asyncDispose]());

  it("has a point for each sensor, in the colour of its newest value's category, with a full description", async () => {
    await eventually(async () => assert.equal(await page.locator(".air-point").count(), 3));
    for (const [caption, text, category] of [
      ["Roof", "Roof: 12.5 µg/m³, AQI 57, Moderate, ", "moderate"],
      ["Київ", "Київ: 60 µg/m³, AQI 154, Unhealthy, ", "unhealthy"],
      ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>: 3 µg/m³, AQI 17, Good, ", "good"],
    ] as const) {
      assert.include(await pointText(page, caption), text);
      const style = await point(page, caption).locator(".air-dot").getAttribute("style");
      const [red, green, blue] = [1, 3, 5].map((at) =>
        Number.parseInt(CATEGORY_COLOURS[category].slice(at, at + 2), 16),
      );
      assert.include(style, `rgb(${red}, ${green}, ${blue})`);
    }
    assert.include(await page.locator(".air-label").allTextContents(), "12.5Roof");
  });

  it("shows the same values in a table, highest first, and a legend of all categories", async () => {
    assert.deepEqual(await rows(page), [
      "Київ | 60 | 154Unhealthy",
      "Roof | 12.5 | 57Moderate",
      "<img src=x onerror=alert(1)> | 3 | 17Good",
    ]);
    const legend = await page.locator(".air-legend li").allTextContents();
    assert.lengthOf(legend, 6);
    assert.include(legend[1], "Moderate9.1–35.4 µg/m³ · AQI 51–100");
  });

  it("draws its own base map", async () => {
    // Every pixel of the tiles as a number; land is #f5f2ea, in the byte order of the memory.
    await eventually(async () =>
      assert.isTrue(
        await page.evaluate(`[...document.querySelectorAll(".leaflet-tile-pane canvas")].some((tile) => {
          const { data } = tile.getContext("2d").getImageData(0, 0, tile.width, tile.height);
          return new Uint32Array(data.buffer).includes(0xffeaf2f5);
        })`),
      ),
    );
  });

  it("opens a point with the keyboard: its record, its transaction on the chain, and its day", async () => {
    await point(page, "Roof").focus();
    await page.keyboard.press("Enter");
    const sensor = page.getByRole("region", { name: "Roof" });
    await sensor.waitFor();
    await eventually(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Roof"));
    const link = await sensor.getByRole("link", { name: "Proof on the chain" }).getAttribute("href");
    assert.match(link ?? "", /^\/explorer\/tx\/0x[0-9a-f]{64}$/);
    const transaction = await rpcCall(stage.server.chainUrl, "eth_getTransactionByHash", link?.split("/").at(-1));
    assert.isObject(transaction);
    await sensor.getByText("Record", { exact: true }).click();
    assert.include(await sensor.locator("pre").textContent(), '"sensorvalue": 12.5');
    assert.match(
      (await sensor.locator(".air-chart").getAttribute("aria-label")) ?? "",
      /: 2 values from 12\.5 to 300 µg\/m³$/,
    );
    await eventually(async () => assert.equal(await sensor.locator(".air-chart canvas").count(), 1));
    await sensor.getByText("All values (2)").click();
    assert.equal(await sensor.locator("details tbody tr").count(), 2);
    await sensor.getByRole("button", { name: "Close sensor details" }).click();
    await sensor.waitFor({ state: "detached" });
  });

  it("goes back in time: shows no readings before the first record, and plays forward", async () => {
    const slider = page.getByRole("slider");
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByText("No current readings").waitFor();
    await eventually(async () => assert.equal(await page.locator(".air-point").count(), 0));
    await page.getByRole("button", { name: "Play the day" }).click();
    await eventually(async () => assert.isAbove(Number(await slider.inputValue()), 1));
    await page.getByRole("button", { name: "Pause" }).click();
    await slider.focus();
    await page.keyboard.press("End");
    await point(page, "Roof").waitFor();
    await eventually(async () => assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /^Now, /));
  });

  it("adds new readings to the previous ones on refresh", async () => {
    const token = await stage.server.login();
    await store(stage.server, token, reading("a", "Roof", 240, 100.5, 13.7));
    await page.getByRole("button", { name: "Refresh" }).click();
    await eventually(async () => assert.include(await pointText(page, "Roof"), "Roof: 240 µg/m³, AQI 330, Hazardous"));
    assert.lengthOf(await rows(page), 3);
  });

  it("merges overlapping sensors to one point, and zooms in when the point is chosen", async () => {
    const token = await stage.server.login();
    await store(stage.server, token, reading("e", "Cellar", 8, 100.9, 13.9));
    await page.getByRole("button", { name: "Refresh" }).click();
    const both = page.locator(".air-point", { hasText: "2 sensors; highest: Roof: 240" });
    await both.click();
    await point(page, "Cellar").waitFor();
    await point(page, "Roof").waitFor();
  });

  it("is accessible on a phone in light and dark, and available in Russian", async () => {
    const phone = await openMap(stage, {
      bypassCSP: true,
      reducedMotion: "reduce",
      viewport: { width: 390, height: 844 },
    });
    for (const colorScheme of ["light", "dark"] as const) {
      await phone.emulateMedia({ colorScheme });
      await phone.reload();
      await phone.locator(".air-choose").first().click();
      await phone.locator(".air-chart canvas").waitFor();
      assert.deepEqual(await seriousViolations(phone), []);
    }
    assert.equal(await phone.evaluate("document.documentElement.scrollWidth"), 390, "as wide as the phone");
    await phone.getByLabel("Language").selectOption("ru");
    await eventually(async () => assert.include(await pointText(phone, "Київ"), "Київ: 60 мкг/м³, AQI 154, Вредно, "));
    assert.equal(await phone.locator("h1").textContent(), "Качество воздуха");
    await phone.context().close();
  });

  it("contacts no other server, and complies with the content security policy", () => {
    assert.deepEqual([...new Set(stage.requested.map((url) => new URL(url).origin))], [stage.server.url]);
    assert.deepEqual(stage.complaints, []);
  });
});

describeInBrowser("The panel's map of a city", function () {
  let stage: PanelStage;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "600" });
    const token = await stage.server.login();
    for (let index = 0; index < 24; index += 1)
      await store(
        stage.server,
        token,
        reading(`s${index}`, `S${index}`, 10 + index, 100.5 + 0.03 * (index % 6), 13.7 + 0.03 * Math.floor(index / 6)),
      );
    await store(stage.server, token, reading("twin", "Twin", 5, 100.5001, 13.7001));
    await store(stage.server, token, reading("far", "Far", 7, -74, 40.7));
  });
  after(() => stage?.[Symbol.asyncDispose]());

  it("shows the sensors of the city apart, without the one far away, and at the last step all of them", async () => {
    const page = await openMap(stage);
    // The two that are side by side are one point; the other 23 have a point each, and so does the one far away.
    await eventually(async () => assert.equal(await page.locator(".air-point").count(), 25));
    const box = (await page.locator(".air-map").boundingBox()) ?? assert.fail();
    for (const caption of ["S5", "S23", "S18"]) {
      const { x, y } = (await point(page, caption).boundingBox()) ?? assert.fail(caption);
      assert.isTrue(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height, caption);
    }
    const zoomIn = page.getByRole("button", { name: "Zoom in" });
    await eventually(async () => {
      if ((await zoomIn.getAttribute("aria-disabled")) !== "true") await zoomIn.click({ force: true });
      assert.equal(await zoomIn.getAttribute("aria-disabled"), "true");
    });
    const view = await page.evaluate(() => JSON.parse(sessionStorage.getItem("sealbook.map.view") ?? "{}"));
    assert.equal(view.zoom, 16);
    await eventually(async () => assert.equal(await page.locator(".air-point").count(), 26));
  });
});

describeInBrowser("The panel's map with tiles", function () {
  let tiles: TileServer;
  let stage: PanelStage;

  before(async () => {
    tiles = await serveTiles("#ABCDEF");
    stage = await openPanel({
      TILE_URL: tiles.template,
      TILE_ATTRIBUTION: "Tiles & <b>more</b>",
      SESSION_LIFETIME: "600",
    });
    await store(stage.server, await stage.server.login(), reading("a", "Roof", 12.5, 100.5, 13.7));
  });
  after(async () => {
    await stage[Symbol.asyncDispose]();
    await tiles.stop();
  });

  it("shows tiles and their attribution, and contacts no third server", async () => {
    const page = await openMap(stage);
    await page.locator("img.leaflet-tile-loaded").first().waitFor();
    assert.include(await page.locator(".leaflet-control-attribution").textContent(), "Tiles & <b>more</b>");
    const origins = new Set(stage.requested.map((url) => new URL(url).origin));
    assert.sameMembers([...origins], [stage.server.url, new URL(tiles.template).origin]);
    assert.deepEqual(stage.complaints, []);
  });

  it("falls back to the built-in map when the tiles fail", async () => {
    tiles.fail();
    const page = await openMap(stage);
    await page.locator(".leaflet-tile-pane canvas").first().waitFor();
  });
});
