// Takes screenshots of the views, in light, in dark, on a phone, in Russian and in print: `npm run screenshots -- DIR`.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { type PanelStage, openPanel } from "../support/panel.ts";
import { ROUTES, type TestServer } from "../support/server.ts";
import { PROOF_VIEWS } from "./proof-views.ts";
import { fillWithRecords } from "./sample-records.ts";
import { logIn } from "./steps.ts";

const LOOKS = {
  light: { viewport: { width: 1280, height: 860 }, colorScheme: "light" },
  dark: { viewport: { width: 1280, height: 860 }, colorScheme: "dark" },
  phone: {
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
    deviceScaleFactor: 2,
    isMobile: true,
    hasTouch: true,
  },
} as const;

/** A view, and how a logged-in page opens it. */
type View = readonly [name: string, open: (page: Page, stage: PanelStage) => Promise<void>];

const VIEWS: readonly View[] = [
  ["home", async (page) => page.locator(".area .newest a").first().waitFor()],
  [
    "records",
    async (page) => {
      await page.goto("/#/records");
      await page.locator(".record").first().waitFor();
    },
  ],
  [
    "records-none-match",
    async (page) => {
      await page.getByRole("search").getByLabel("Code", { exact: true }).fill("nothing-*");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText("No matching records").waitFor();
    },
  ],
  [
    "send-reading",
    async (page) => {
      await page.getByRole("button", { name: "Send a record" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText("Enter a number").first().waitFor();
    },
  ],
  [
    "send-json",
    async (page) => {
      await page.getByText("Any JSON").click();
      await page.getByLabel("Payload").waitFor();
    },
  ],
  [
    "map",
    async (page) => {
      await page.keyboard.press("Escape");
      await page.goto("/#/map");
      await page.locator(".air-label").first().waitFor();
      await page.waitForLoadState("networkidle");
    },
  ],
  [
    "map-sensor",
    async (page) => {
      await page.locator(".air-choose").first().click();
      await page.locator(".air-chart canvas").waitFor();
    },
  ],
  [
    "decode-empty",
    async (page) => {
      await page.goto("/#/decode");
      await page.getByRole("heading", { level: 1, name: "Decode" }).waitFor();
    },
  ],
  [
    "decode",
    async (page, { server }) => {
      const { body } = await server.get(`/explorer/api/transactions/${await newestTransaction(server)}`);
      await page.getByRole("textbox", { name: "Call data" }).fill(body.input);
      await page.getByRole("button", { name: "Decode" }).click();
      await page.getByText("on the chain", { exact: true }).first().waitFor();
    },
  ],
  [
    "proofs",
    async (page) => {
      await page.goto("/#/proofs");
      await page.getByRole("heading", { level: 1 }).waitFor();
    },
  ],
  [
    "explorer",
    async (page) => {
      await page.goto("/explorer");
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
    },
  ],
  [
    "explorer-list",
    async (page) => {
      await page.goto("/explorer/transactions?without=sessions");
      await page.locator("tbody td").first().waitFor();
    },
  ],
  [
    "api",
    async (page) => {
      await page.goto("/docs");
      await page.locator("main details").first().waitFor();
    },
  ],
  [
    "explorer-transaction",
    async (page, { server }) => {
      await page.goto(`/explorer/tx/${await newestTransaction(server)}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
    },
  ],
  ...PROOF_VIEWS,
];

async function newestTransaction({ login, call }: TestServer): Promise<string> {
  const token = await login();
  const { body } = await call(
    ROUTES.search,
    { token },
    { search: { target: "1", value: "*", limit: 1, locations: true } },
  );
  return body.content.tparams.locations[0].tx_hash;
}

const directory = process.argv[2];
if (directory === undefined) throw new Error("npm run screenshots -- DIR");
mkdirSync(directory, { recursive: true });
await using stage = await openPanel({ SESSION_LIFETIME: "600" });
await fillWithRecords(stage.server);
for (const [look, options] of Object.entries(LOOKS)) {
  await picturesOf(look, await stage.window(options));
}
/** The views that do not look for English words. */
const isInAnyLanguage = ([name]: View): boolean =>
  /^(home|records|map|proofs|proof|api|verify|explorer)/.test(name) && name !== "records-none-match";
await picturesOf("russian", await stage.window({ ...LOOKS.light, locale: "ru-RU" }), VIEWS.filter(isInAnyLanguage));
/** The views that readers print. */
const PRINTED = ["home", "records", "proof", "proofs-recorded", "verify-passed", "verify-many", "explorer-transaction"];
const isPrinted = ([name]: View): boolean => PRINTED.includes(name);
await picturesOf("print", await stage.window(LOOKS.dark), VIEWS.filter(isPrinted), "print");

async function picturesOf(
  look: string,
  window: BrowserContext,
  views = VIEWS,
  media: "screen" | "print" = "screen",
): Promise<void> {
  const page = await window.newPage();
  await page.goto("/");
  await page.locator("[name=login]").waitFor();
  const take = (name: string) =>
    page.screenshot({ path: join(directory ?? ".", `${name}-${look}.png`), fullPage: true, animations: "disabled" });
  await take("login");
  await logIn(page, stage.server.demo);
  for (const [name, open] of views) {
    await open(page, stage);
    await page.emulateMedia({ media });
    await take(name);
    await page.emulateMedia({ media: "screen" });
  }
  await window.close();
}
