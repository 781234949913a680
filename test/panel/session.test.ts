import { assert } from "chai";
import type { Locator, Page, Route } from "playwright-core";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage, REMOTE_NAME } from "../support/panel.ts";
import { ROUTES } from "../support/server.ts";
import { logIn } from "./steps.ts";

/** The token that the Home tab shows. */
const shownToken = (page: Page): Promise<string> => page.getByLabel("ASC token").inputValue();

const isFocused = (locator: Locator): Promise<boolean> => locator.evaluate((element) => element.matches(":focus"));

/** Changes what the browser keeps of the session: lets the time come in which something is due. */
async function change(page: Page, entries: { renewAt?: number; endsAt?: number }): Promise<void> {
  await page.evaluate((changed) => {
    const key = "sealbook.session";
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? "{}"), ...changed }));
  }, entries);
}

/** What calls to a route carried. */
function callsOf(page: Page, route: string): { credentials: { token: string } }[] {
  const calls: { credentials: { token: string } }[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api") && request.postDataJSON()?.route === route) calls.push(request.postDataJSON());
  });
  return calls;
}

/**
 * In a page: has an entry of the storage read as it is now until an answer has come, and a moment longer.
 * @returns the token there
 */
function readLate(key: string): string {
  const { getItem } = Storage.prototype;
  const kept = localStorage.getItem(key) ?? "{}";
  let isLate = true;
  Storage.prototype.getItem = function (name) {
    return name === key && isLate ? kept : getItem.call(this, name);
  };
  const { fetch } = globalThis;
  globalThis.fetch = async (...call: Parameters<typeof fetch>) => {
    const answer = await fetch(...call);
    setTimeout(() => (isLate = false), 300);
    return answer;
  };
  return JSON.parse(kept).token;
}

/** Keeps the next call to a route waiting until it is let go. */
async function holdCall(
  page: Page,
  route: string,
): Promise<{ readonly isThere: Promise<void>; letGo(): Promise<void> }> {
  const there = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const hold = async (held: Route): Promise<void> => {
    if (held.request().postDataJSON()?.route !== route) return held.fallback();
    there.resolve();
    await go.promise;
    await held.continue();
  };
  await page.route("**/api", hold);
  return {
    isThere: there.promise,
    async letGo() {
      go.resolve();
      await page.unroute("**/api", hold);
    },
  };
}

// A login takes a second and more, on purpose: one page goes through it all.
describe("the panel's session", function () {
  let stage: PanelStage;
  let page: Page;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "3600" });
    page = await stage.page();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  it("begins with the server's form, which says what is wrong with what is entered", async () => {
    await page.getByRole("button", { name: "Log in" }).click();
    const address = page.getByLabel("Blockchain address");
    assert.equal(await address.getAttribute("aria-invalid"), "true");
    assert.isTrue(await isFocused(address));
    await page.getByText("Enter your blockchain address.").waitFor();
    await page.getByText("Enter your password.").waitFor();
    await address.fill("0x12");
    await page.getByLabel("Password").fill("x");
    await page.keyboard.press("Enter");
    await page.getByText("An address is 0x and 40 digits").waitFor();
    assert.equal(await page.locator(".fault").count(), 1);
  });

  it("is refused with a wrong password, and nothing of it stays in the form", async () => {
    await page.getByLabel("Blockchain address").fill(stage.server.demo.login);
    await page.getByLabel("Password").fill("a wrong one");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.getByText("Address or password is wrong.").waitFor();
    assert.equal(await page.getByLabel("Password").inputValue(), "");
    assert.equal(await page.getByLabel("Blockchain address").inputValue(), stage.server.demo.login);
  });

  it("says what happens while the chain authorises it", async () => {
    const held = await holdCall(page, ROUTES.auth);
    await page.getByLabel("Blockchain address").fill(stage.server.demo.login);
    await page.getByLabel("Password").fill(stage.server.demo.password);
    await page.getByRole("button", { name: "Log in" }).click();
    await held.isThere;
    await page.getByRole("status").getByText("The chain is authorising the session").waitFor();
    assert.isFalse(await page.getByLabel("Password").isVisible());
    await held.letGo();
    await page.getByLabel("ASC token").waitFor();
  });

  it("is shown at Home: token, lifetime, account, secure key when asked, statistics, log", async () => {
    const token = await shownToken(page);
    assert.match(token, /^0x[0-9a-f]{64}$/);
    const answer = await stage.server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
    assert.equal(answer.status, 200, "the token that is shown is one to use");
    assert.isFalse(await page.getByLabel("ASC token").isEditable());
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the token" }).click();
    await eventually(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), token));

    const seconds = async () => Number(await page.locator("output[name=session]").textContent());
    const first = await seconds();
    assert.isAtMost(first, 3600);
    await eventually(async () => assert.isBelow(await seconds(), first));

    const area = page.locator(".area");
    assert.include(await area.textContent(), stage.server.demo.login);
    const key = area.locator("[data-part=secure-key] code");
    assert.isFalse(await key.isVisible());
    await area.getByText("Show").click();
    assert.match((await key.textContent()) ?? "", /^0x[0-9a-f]{64}$/);
    for (const name of ["Records", "Accounts", "Open sessions", "Block", "Uptime"])
      assert.isTrue(await area.getByText(name, { exact: true }).isVisible(), name);
    assert.isTrue(await area.locator(".log li").first().isVisible());
  });

  it("outlives that the page is loaded again, and has its secure key again when asked", async () => {
    const token = await shownToken(page);
    await page.locator("[data-part=secure-key] summary").click();
    const key = await page.locator("[data-part=secure-key] code").textContent();
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    assert.notInclude(kept, String(key));
    assert.notInclude(kept, stage.server.demo.password);
    await page.reload();
    await page.getByLabel("ASC token").waitFor();
    assert.equal(await shownToken(page), token);
    await page.locator("[data-part=secure-key] summary").click();
    await eventually(async () => assert.equal(await page.locator("[data-part=secure-key] code").textContent(), key));
    assert.notEqual(await shownToken(page), token);
  });

  it("replaces its token during typing: no character is lost, and actions meanwhile use the new token", async () => {
    await page.goto("/#/records");
    const stores = callsOf(page, ROUTES.store);
    const replaced = callsOf(page, ROUTES.validate);
    const extended = callsOf(page, ROUTES.extend);
    await page.getByRole("button", { name: "Send a record" }).click();
    await page.getByText("Any JSON").click();
    await page.getByRole("textbox", { name: "Topic" }).fill("typing");
    await page.getByLabel("Payload").fill('{"typed": true}');
    const held = await holdCall(page, ROUTES.validate);
    const code = page.getByRole("textbox", { name: "Code" });
    await code.pressSequentially("before-");
    await change(page, { renewAt: 0 });
    await held.isThere;
    const send = page.getByRole("button", { name: "Send", exact: true });
    assert.equal(await send.getAttribute("aria-disabled"), "true");
    await code.pressSequentially("meanwhile-");
    await page.keyboard.press("Enter");
    await code.pressSequentially("after");
    assert.isTrue(await isFocused(code));
    assert.equal(await code.inputValue(), "before-meanwhile-after");
    assert.isEmpty(stores);
    await held.letGo();
    await page.getByText(/Record \d+ is on the chain/).waitFor();
    await page.getByRole("heading", { name: "before-meanwhile-after" }).waitFor();
    assert.lengthOf(stores, 1);
    assert.notEqual(stores[0]?.credentials.token, replaced[0]?.credentials.token);
    assert.notEqual(stores[0]?.credentials.token, extended[0]?.credentials.token);
    await page.goto("/#/");
    assert.equal(await shownToken(page), stores[0]?.credentials.token);
  });

  it("that was ended by somebody else leads back to the login, and keeps what was being written", async () => {
    const token = await shownToken(page);
    await page.goto("/#/records");
    await page.getByRole("button", { name: "Send a record" }).click();
    await page.getByText("PM2.5 reading").click();
    await page.getByLabel("Caption").fill("half a sentence");
    assert.equal((await stage.server.call(ROUTES.close, { token })).status, 200);
    await change(page, { renewAt: 0 });
    await page.getByText("The session has ended: its token is no longer valid.").waitFor();
    await logIn(page, stage.server.demo);
    await page.getByRole("button", { name: "Send a record" }).click();
    assert.equal(await page.getByLabel("Caption").inputValue(), "half a sentence");
    await page.keyboard.press("Escape");
    await page.goto("/#/");
  });

  it("that was lost is noticed by the first call too, and one that expired by the clock", async () => {
    const token = await shownToken(page);
    await page.goto("/#/records");
    await stage.server.call(ROUTES.close, { token });
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("its token is no longer valid").waitFor();
    await logIn(page, stage.server.demo);
    await change(page, { endsAt: 0 });
    await page.getByText("The session has expired.").waitFor();
    await logIn(page, stage.server.demo);
    await page.goto("/#/");
  });

  it("waits for a server that restarts, and goes on with it", async () => {
    const token = await shownToken(page);
    await stage.stopServer();
    await change(page, { renewAt: 0 });
    await page.getByText("The server cannot be reached").waitFor();
    await stage.startServer();
    await eventually(async () => assert.notEqual(await shownToken(page), token));
    await page.getByText("The server cannot be reached").waitFor({ state: "hidden" });
    await page.goto("/#/records");
    await page.getByText(/records? shown/).waitFor();
    await page.goto("/#/");
  });

  it("is one for all tabs of a browser, whichever replaces its token, until one of them logs out", async () => {
    const one = page;
    const other = await one.context().newPage();
    await other.goto("/");
    await other.getByLabel("ASC token").waitFor();
    const first = await shownToken(one);
    assert.equal(await shownToken(other), first);
    const renewals = [...[one, other].map((page) => callsOf(page, ROUTES.validate))];
    await change(one, { renewAt: 0 });
    await eventually(async () => {
      assert.notEqual(await shownToken(one), first);
      assert.equal(await shownToken(other), await shownToken(one));
    });
    assert.lengthOf(renewals.flat(), 1, "one tab replaced it for both");
    for (const page of [one, other]) {
      await page.goto("/#/records");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText(/records? shown/).waitFor();
    }
    await other.getByRole("button", { name: "Log out" }).click();
    await other.getByText("You are logged out.").waitFor();
    await one.getByText("The session was ended in another tab.").waitFor();
  });

  it("outlives that a tab comes to know late of the token that another has got", async () => {
    const window = await stage.window();
    const [one, other] = [await window.newPage(), await window.newPage()];
    await one.goto("/");
    await logIn(one, stage.server.demo);
    await other.goto("/#/records");
    await other.getByText(/records? shown/).waitFor();
    const first = await other.evaluate(readLate, "sealbook.session");
    await change(one, { renewAt: 0 });
    await eventually(async () => assert.notEqual(await shownToken(one), first));
    const calls = callsOf(other, ROUTES.search);
    await other.getByRole("button", { name: "Search" }).click();
    await eventually(async () => assert.lengthOf(calls, 2));
    await other.getByText(/records? shown/).waitFor();
    assert.deepEqual(
      calls.map(({ credentials }) => credentials.token === first),
      [true, false],
    );
    assert.isTrue(await one.getByLabel("ASC token").isVisible());
    await window.close();
  });

  it("is each tab's own where the browser lets tabs agree on nothing: over plain HTTP from elsewhere", async () => {
    const window = await stage.window();
    const [one, other] = [await window.newPage(), await window.newPage()];
    const url = stage.server.url.replace("127.0.0.1", REMOTE_NAME);
    for (const page of [one, other]) {
      await page.goto(url);
      assert.isFalse(await page.evaluate("isSecureContext"));
      await logIn(page, stage.server.demo);
    }
    assert.notEqual(await shownToken(one), await shownToken(other));
    await one.getByRole("button", { name: "Copy the address" }).click();
    await one.getByRole("status").getByText("Copied").waitFor();
    for (const page of [one, other]) {
      await page.goto(`${url}/#/records`);
      await page.getByText(/records? shown/).waitFor();
    }
    await one.getByRole("button", { name: "Log out" }).click();
    await one.getByText("You are logged out.").waitFor();
    await other.getByRole("button", { name: "Search" }).click();
    await other.getByText(/records? shown/).waitFor();
    await window.close();
  });
});
