import { assert } from "chai";
import type { Page } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { ROUTES } from "../support/server.ts";
import { logIn } from "./steps.ts";

/** Reloads and clicks of a link, each; `NAVIGATIONS` sets another number. */
const NAVIGATIONS = Number(process.env.NAVIGATIONS ?? 10);
/** Seconds between blocks: a replacement of the token takes two transactions. */
const BLOCK_PERIOD = process.env.NAVIGATION_BLOCK_PERIOD ?? "2";

/** Runs in a page: makes a renewal due, and returns whether the response of one is awaited. */
function isRenewing(): boolean {
  const key = "sealbook.session";
  const session = JSON.parse(localStorage.getItem(key) ?? "{}");
  if (session.pending === undefined && session.token !== undefined && session.renewAt !== 0)
    localStorage.setItem(key, JSON.stringify({ ...session, renewAt: 0 }));
  return session.pending !== undefined;
}

describeInBrowser("a page that is left while its token is replaced", function () {
  let stage: PanelStage;
  let page: Page;
  before(async () => {
    stage = await openPanel({ CHAIN_BLOCK_PERIOD: BLOCK_PERIOD }, { settings: { sessions: { rate: 100_000 } } });
    page = await stage.page("/");
    await logIn(page, stage.server.demo);
  });
  after(() => stage?.[Symbol.asyncDispose]());

  async function isLoggedIn(): Promise<void> {
    await page.locator(".session-left, form.login").first().waitFor();
    assert.equal(await page.locator("form.login").count(), 0, "the session goes on");
  }

  /** Leaves the page in mid-renewal, again and again. */
  async function leave(by: () => Promise<unknown>): Promise<void> {
    for (let count = 0; count < NAVIGATIONS; count += 1) {
      await eventually(async () => assert.isTrue(await page.evaluate(isRenewing)));
      await by();
      await isLoggedIn();
    }
    const token = await eventually(async () => {
      const stored = await page.evaluate(() => JSON.parse(localStorage.getItem("sealbook.session") ?? "{}"));
      assert.isUndefined(stored.pending);
      assert.isAbove(stored.renewAt, Date.now());
      return String(stored.token);
    });
    const response = await stage.server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
    assert.equal(response.status, 200, "its token is valid");
  }

  it("has its session after reloads", () => leave(() => page.reload()));

  it("has its session after links to another page and back", async () => {
    await leave(async () => {
      await page.goto("/explorer");
      await page.locator("main").waitFor();
      await page.goBack();
    });
  });

  it("has its session when two tabs are left in turn", async () => {
    const other = await page.context().newPage();
    await other.goto("/#/records");
    await leave(async () => {
      await Promise.all([page.reload(), other.reload()]);
      await other.locator(".session-left").waitFor();
    });
    await other.close();
  });
});
