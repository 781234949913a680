import { assert } from "chai";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { seriousViolations } from "../support/accessibility.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { fillWithRecords } from "./sample-records.ts";
import { logIn } from "./steps.ts";

/** Maximum compressed size of the first view, in bytes. */
const FIRST_VIEW = 90_000;
const WIDE = { width: 1280, height: 900 };
const LOOKS = [
  { name: "light", colorScheme: "light", viewport: WIDE },
  { name: "dark", colorScheme: "dark", viewport: WIDE },
  { name: "on a phone", colorScheme: "light", viewport: { width: 360, height: 740 } },
] as const;

/** The views of the panel, and how a logged-in page opens them. */
const VIEWS: readonly (readonly [name: string, open: (page: Page) => Promise<unknown>])[] = [
  ["Home", (page) => page.getByLabel("ASC token").waitFor()],
  ["Records", (page) => page.goto("/#/records").then(() => page.locator(".record").first().waitFor())],
  [
    "the dialog of a reading",
    async (page) => {
      await page.getByRole("button", { name: "Send a record" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("Enter a number.").first().waitFor();
    },
  ],
  [
    "Decode",
    async (page) => {
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      const link = (await page.locator(".record a[href^='/explorer/tx/']").first().getAttribute("href")) ?? "";
      await page.goto(`/#/decode/${link.split("/").at(-1)}`);
      await page.getByText("on the chain", { exact: true }).waitFor();
    },
  ],
];

describeInBrowser("the panel's page", function () {
  let stage: PanelStage;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "3600" });
    await fillWithRecords(stage.server);
  });
  after(() => stage?.[Symbol.asyncDispose]());

  // Security, panel: text in a record or a document's name never runs as a script in a browser
  it("has a strict policy and no inline scripts", async () => {
    for (const path of ["/", "/records", "/docs", "/explorer", "/explorer/tx/0x12"]) {
      const { status, headers, text } = await stage.server.get(path);
      assert.equal(status, 200, path);
      const policy = headers.get("content-security-policy") ?? "";
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' data:",
      ])
        assert.include(policy, rule);
      assert.notMatch(policy, /unsafe|https?:|\*/);
      assert.equal(headers.get("cache-control"), "no-store");
      assert.notMatch(text, /<script>|<script (?!type="module" crossorigin src="\/assets\/)|\son\w+=|style=/);
      assert.notInclude(text, "{{");
    }
  });

  it("serves its files as immutable, and no others", async () => {
    const { text } = await stage.server.get("/");
    const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path));
    assert.isNotEmpty(files);
    for (const path of files) {
      const { status, headers } = await stage.server.get(path);
      assert.equal(status, 200, path);
      assert.match(headers.get("cache-control") ?? "", /max-age=31536000, immutable/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
    for (const path of [
      "/assets",
      "/assets/",
      "/assets/x.js",
      "/assets/..%2findex.html",
      "/assets/%2e%2e/sources.sha256",
      "/sources.sha256",
      "/index.html",
      "/explorer.html",
      "//",
      "/explorer/api/none",
    ]) {
      assert.equal((await stage.server.get(path, { redirect: "manual" })).status, 404, path);
    }
  });

  it("has an address for each section, with the login where it needs an account, and knows earlier ones", async () => {
    const page = await stage.page("/records");
    await page.locator("form.login").waitFor();
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Explorer" }).click();
    await page.getByRole("heading", { level: 1, name: "Explore the chain" }).waitFor();
    await page.goBack();
    await logIn(page, stage.server.demo);
    await page.locator(".record").first().waitFor();
    for (const [earlier, path] of [
      ["/#/", "/"],
      ["/#/home", "/"],
      ["/#/map", "/map"],
      ["/#/decode", "/explorer/decode"],
      ["/decode/0x12", "/explorer/decode"],
      ["/explorer/proof", "/verify"],
    ] as const) {
      await page.goto(earlier);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await eventually(async () => assert.equal(await page.evaluate("location.pathname + location.hash"), path));
    }
    await page.context().close();
    for (const path of ["/records/1", "/home", "/verify/", "//evil.example"])
      assert.equal((await stage.server.get(path, { headers: { Accept: "text/html" } })).status, 404, path);
  });

  it("takes less than 90 kB, compressed, until Home is shown", async () => {
    const window = await stage.window();
    const page = await window.newPage();
    const sizes = new Map<string, number>();
    page.on("requestfinished", async (request) => {
      const { responseBodySize } = await request.sizes();
      if (request.method() === "GET") sizes.set(new URL(request.url()).pathname, responseBodySize);
    });
    await page.goto("/");
    await page.locator("[name=login]").waitFor();
    await logIn(page, stage.server.demo);
    await page.getByLabel("ASC token").waitFor();
    await page.waitForLoadState("networkidle");
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    assert.isAtLeast(sizes.size, 3);
    if (process.env["PANEL_SIZES"] !== undefined) console.log(total, Object.fromEntries(sizes));
    assert.isBelow(total, FIRST_VIEW, JSON.stringify([...sizes]));
    await window.close();
  });

  it("is accessible in light, in dark and on a phone: axe finds nothing serious, nothing is too wide", async () => {
    const page = await stage.page("/", { bypassCSP: true, reducedMotion: "reduce" });
    const check = async (view: string) => {
      for (const { name, colorScheme, viewport } of LOOKS) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        assert.deepEqual(await seriousViolations(page), [], `${view}, ${name}`);
        assert.isTrue(
          await page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"),
          `${view}, ${name}, is wider than the window`,
        );
      }
    };
    await page.locator("[name=login]").waitFor();
    await check("the login");
    await logIn(page, stage.server.demo);
    for (const [name, open] of VIEWS) {
      await open(page);
      await check(name);
    }
    await page.context().close();
  });

  it("can be used by keyboard alone", async () => {
    const page = await stage.page();
    const focused = async () => (await page.locator(":focus").textContent())?.trim();
    await page.locator("[name=login]:focus").waitFor();
    await page.keyboard.type(stage.server.demo.login);
    await page.keyboard.press("Tab");
    await page.keyboard.type(stage.server.demo.password);
    await page.keyboard.press("Enter");
    await page.getByLabel("ASC token").waitFor();
    await page.reload();
    await page.getByLabel("ASC token").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.locator("#view:focus").waitFor();
    await page.getByRole("link", { name: "Records" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Send a record" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await eventually(async () => assert.equal(await focused(), "Send a record"));
    await page.context().close();
  });

  it("is available in English and Russian, and stores the choice", async () => {
    const page = await stage.page("/", { locale: "ru-RU" });
    await page.getByRole("heading", { name: "Вход в Sealbook" }).waitFor();
    assert.equal(await page.locator("html").getAttribute("lang"), "ru");
    await page.getByLabel("Адрес в блокчейне").fill(stage.server.demo.login);
    await page.getByLabel("Пароль").fill("неверный");
    await page.getByRole("button", { name: "Войти" }).click();
    await page.getByText("Неверный адрес или пароль.").waitFor();
    await page.getByLabel("Язык").selectOption("English");
    await page.getByText("Address or password is wrong.").waitFor();
    await page.getByRole("button", { name: "Log in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Log in to Sealbook" }).waitFor();
    await logIn(page, stage.server.demo);
    await page.getByText("Account address").waitFor();
    await page.getByLabel("Language").selectOption("Русский");
    await page.getByText("Адрес учётной записи").waitFor();
    assert.isTrue(await page.getByLabel("ASC token").isVisible());
    for (const width of [340, 700, 980, 1000, 1160, 1280, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      const end = await page.getByRole("button", { name: "Переключить" }).boundingBox();
      assert.isAtMost((end?.x ?? width) + (end?.width ?? 0), width, `the bar at ${width}`);
    }
    await page.context().close();
  });

  it("follows the system's theme, or the user's choice", async () => {
    const page = await stage.page("/", { colorScheme: "dark" });
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    await page.locator("[name=login]").waitFor();
    const dark = await background();
    await page.getByRole("button", { name: "Switch between light and dark" }).click();
    const light = await background();
    assert.notEqual(light, dark);
    await page.reload();
    await page.locator("[name=login]").waitFor();
    assert.equal(await background(), light);
    await page.context().close();
  });

  // Security, panel: the panel contacts no other server
  it("contacts no other server, and complies with its policy", () => {
    assert.deepEqual([...new Set(stage.requested.map((url) => new URL(url).origin))], [stage.server.url]);
    assert.deepEqual(
      stage.complaints.filter((text) => !/status of 401/.test(text)),
      [],
    );
  });
});
