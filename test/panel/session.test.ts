import { assert } from "chai";
import type { Locator, Page, Route } from "playwright-core";
import { describeInBrowser } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { openPanel, type PanelStage, REMOTE_NAME } from "../support/panel.ts";
import { ROUTES } from "../support/server.ts";
import { logIn, openSection } from "./steps.ts";

const SECURE_KEY = /^0x[0-9a-f]{64}$/;

/** The token that the Home tab shows. */
const shownToken = (page: Page): Promise<string> => page.getByLabel("ASC token").inputValue();

const isFocused = (locator: Locator): Promise<boolean> => locator.evaluate((element) => element.matches(":focus"));

/** Changes the stored session, to make a renewal or the expiry due. */
async function change(page: Page, entries: { renewAt?: number; endsAt?: number }): Promise<void> {
  await page.evaluate((changed) => {
    const key = "sealbook.session";
    localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key) ?? "{}"), ...changed }));
  }, entries);
}

/** Runs in a page: whether the stored session needs no renewal yet. */
function isRenewed(): boolean {
  return JSON.parse(localStorage.getItem("sealbook.session") ?? "{}").renewAt > Date.now();
}

/** Collects the bodies of calls to a route. */
function callsOf(page: Page, route: string): string[] {
  const tokens: string[] = [];
  page.on("request", (request) => {
    if (!request.url().endsWith("/api")) return;
    const call = request.postDataJSON();
    if (call?.route === route) tokens.push(call.credentials.token);
  });
  return tokens;
}

/**
 * Runs in a page: reads of a storage entry return its current value until shortly after the next response.
 * @returns The token in the entry
 */
function readLate(key: string): string {
  const { getItem } = Storage.prototype;
  const stale = localStorage.getItem(key) ?? "{}";
  let isLate = true;
  Storage.prototype.getItem = function (name) {
    return name === key && isLate ? stale : getItem.call(this, name);
  };
  const { fetch } = globalThis;
  globalThis.fetch = async (...call: Parameters<typeof fetch>) => {
    const response = await fetch(...call);
    setTimeout(() => (isLate = false), 300);
    return response;
  };
  return JSON.parse(stale).token;
}

/** Delays the next call to a route until it is released. */
async function delayCall(
  page: Page,
  route: string,
): Promise<{ readonly received: Promise<void>; release(): Promise<void> }> {
  const received = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const continued = Promise.withResolvers<void>();
  const delay = async (call: Route): Promise<void> => {
    if (call.request().postDataJSON()?.route !== route) return call.fallback();
    received.resolve();
    await released.promise;
    await call.continue().then(continued.resolve, continued.reject);
  };
  await page.route("**/api", delay);
  return {
    received: received.promise,
    async release() {
      released.resolve();
      // A handler that is removed before its call continues has lost the call.
      await continued.promise;
      await page.unroute("**/api", delay);
    },
  };
}

// A login takes more than a second by design: all tests use one page.
describeInBrowser("the panel's session", function () {
  let stage: PanelStage;
  let page: Page;
  before(async () => {
    stage = await openPanel({ SESSION_LIFETIME: "3600" });
    page = await stage.page();
  });
  after(() => stage?.[Symbol.asyncDispose]());

  it("starts with a form that shows input errors", async () => {
    await page.getByRole("button", { name: "Log in" }).click();
    const address = page.getByLabel("Blockchain address");
    await eventually(async () => {
      assert.equal(await address.getAttribute("aria-invalid"), "true");
      assert.isTrue(await isFocused(address));
    });
    await page.getByText("Enter your blockchain address.").waitFor();
    await page.getByText("Enter your password.").waitFor();
    await address.fill("0x12");
    await page.getByLabel("Password").fill("x");
    await page.keyboard.press("Enter");
    await page.getByText("An address is 0x and 40 digits").waitFor();
    assert.equal(await page.locator(".field-error").count(), 1);
  });

  // Security, panel: after a rejected login the browser does not have the password
  it("is rejected with a wrong password, and the form clears the password", async () => {
    await page.getByLabel("Blockchain address").fill(stage.server.demo.login);
    await page.getByLabel("Password").fill("a wrong one");
    await page.keyboard.press("Enter");
    const alert = page.getByRole("alert");
    await alert.getByText("Address or password is wrong.").waitFor();
    assert.equal(await page.getByLabel("Password").inputValue(), "");
    assert.equal(await page.getByLabel("Blockchain address").inputValue(), stage.server.demo.login);
  });

  it("shows the progress while the chain authorises it", async () => {
    const delayed = await delayCall(page, ROUTES.auth);
    await page.getByLabel("Blockchain address").fill(stage.server.demo.login);
    await page.getByLabel("Password").fill(stage.server.demo.password);
    await page.getByRole("button", { name: "Log in" }).click();
    await delayed.received;
    await page.getByRole("status").getByText("Authorising the session on the chain").waitFor();
    assert.isFalse(await page.getByLabel("Password").isVisible());
    await delayed.release();
    await page.getByLabel("ASC token").waitFor();
  });

  it("is shown at Home: token, lifetime, account, secure key on request, statistics, log", async () => {
    const token = await shownToken(page);
    assert.match(token, /^0x[0-9a-f]{64}$/);
    const response = await stage.server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
    assert.equal(response.status, 200, "the shown token is valid");
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
    const key = area.locator(".secure-key code");
    assert.isFalse(await key.isVisible());
    await area.getByText("Show").click();
    await eventually(async () => assert.match((await key.textContent()) ?? "", SECURE_KEY));
    for (const name of ["Records", "Accounts", "Open sessions", "Block", "Uptime"])
      assert.isTrue(await area.getByText(name, { exact: true }).isVisible(), name);
    assert.isTrue(await area.locator(".log li").first().isVisible());
  });

  it("says how long a copied token lives, and opens another session, which it does not renew", async () => {
    await page.getByText(/The panel replaces this token in \d+ s; a copy stops working then\./).waitFor();
    assert.match((await page.locator(".stat-uptime").textContent()) ?? "", /\d (sec|min)/);
    await page.getByRole("button", { name: "Token for another program" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Password").fill("a wrong one");
    await page.keyboard.press("Enter");
    await dialog.getByText("Address or password is wrong.").waitFor();
    await dialog.getByLabel("Password").fill(stage.server.demo.password);
    await dialog.getByRole("button", { name: "Open the session" }).click();
    const token = await dialog.getByRole("textbox", { name: "Access token" }).inputValue();
    await dialog.getByText(/This token expires in 3[56]\d\d s\./).waitFor();
    await dialog.getByRole("button", { name: "Copy the access token" }).click();
    await eventually(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), token));
    await page.keyboard.press("Escape");
    const panelToken = await shownToken(page);
    assert.notEqual(token, panelToken);
    await change(page, { renewAt: 0 });
    await eventually(async () => assert.isTrue(await page.evaluate(isRenewed)));
    assert.notEqual(await shownToken(page), panelToken);
    const response = await stage.server.call(ROUTES.search, { token }, { search: { target: "1", value: "*" } });
    assert.equal(response.status, 200, "its session goes on when the panel renews its own");
  });

  it("survives a reload, and shows its secure key again on request", async () => {
    const token = await shownToken(page);
    await page.locator(".secure-key summary").click();
    const key = await eventually(async () => {
      const text = await page.locator(".secure-key code").textContent();
      assert.match(text ?? "", SECURE_KEY);
      return text;
    });
    const stored = await page.evaluate(() => JSON.stringify(localStorage));
    assert.notInclude(stored, String(key));
    assert.notInclude(stored, stage.server.demo.password);
    await page.reload();
    await page.getByLabel("ASC token").waitFor();
    assert.equal(await shownToken(page), token);
    await page.locator(".secure-key summary").click();
    await eventually(async () => assert.equal(await page.locator(".secure-key code").textContent(), key));
    assert.notEqual(await shownToken(page), token);
  });

  it("replaces its token during typing: no character is lost, and actions meanwhile use the new token", async () => {
    await openSection(page, "Records");
    const stores = callsOf(page, ROUTES.store);
    const replaced = callsOf(page, ROUTES.validate);
    const extended = callsOf(page, ROUTES.extend);
    await page.getByRole("button", { name: "Send a record" }).click();
    await page.getByText("Any JSON").click();
    await page.getByRole("textbox", { name: "Topic" }).fill("typing");
    await page.getByLabel("Payload").fill('{"typed": true}');
    const delayed = await delayCall(page, ROUTES.validate);
    const code = page.getByRole("textbox", { name: "Code" });
    await code.pressSequentially("before-");
    await change(page, { renewAt: 0 });
    await delayed.received;
    const send = page.getByRole("button", { name: "Send", exact: true });
    assert.equal(await send.getAttribute("aria-disabled"), "true");
    await code.pressSequentially("meanwhile-");
    await page.keyboard.press("Enter");
    await code.pressSequentially("after");
    assert.isTrue(await isFocused(code));
    assert.equal(await code.inputValue(), "before-meanwhile-after");
    assert.isEmpty(stores);
    await delayed.release();
    await page.getByText(/Record \d+ is on the chain/).waitFor();
    await page.getByRole("link", { name: "before-meanwhile-after" }).waitFor();
    assert.lengthOf(stores, 1);
    assert.notEqual(stores[0], replaced[0]);
    assert.notEqual(stores[0], extended[0]);
    await openSection(page, "Home");
    assert.equal(await shownToken(page), stores[0]);
  });

  it("that was closed elsewhere leads back to the login, and preserves unsent input", async () => {
    const token = await shownToken(page);
    await openSection(page, "Records");
    await page.getByRole("button", { name: "Send a record" }).click();
    await page.getByText("PM2.5 reading").click();
    await page.getByLabel("Caption").fill("half a sentence");
    assert.equal((await stage.server.call(ROUTES.close, { token })).status, 200);
    await change(page, { renewAt: 0 });
    await page.getByText("The session has ended: its token is no longer valid.").waitFor();
    await logIn(page, stage.server.demo);
    assert.equal(await page.getByRole("dialog").getByLabel("Caption").inputValue(), "half a sentence");
    await page.keyboard.press("Escape");
    await openSection(page, "Home");
  });

  it("that has ended is detected by the next call, and an expired one by the clock", async () => {
    const token = await shownToken(page);
    await openSection(page, "Records");
    await stage.server.call(ROUTES.close, { token });
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("its token is no longer valid").waitFor();
    await logIn(page, stage.server.demo);
    await change(page, { endsAt: 0 });
    await page.getByText("The session has expired.").waitFor();
    await logIn(page, stage.server.demo);
    await openSection(page, "Home");
  });

  // Security, panel: a panel that nobody uses does not extend its session
  it("is not extended while nobody uses the panel, continues with the next use, and ends with the reason", async () => {
    const setUse = (time: number) => page.evaluate((used) => localStorage.setItem("sealbook.used", used), String(time));
    /** Reloads: the page must not have seen a use of its own, and loading one is a use. */
    const leaveUnused = async (): Promise<void> => {
      await page.clock.install({ time: Date.now() });
      await page.goto("/#/");
      await page.reload();
      await page.locator(".session-left").waitFor();
      await setUse(0);
    };
    await leaveUnused();
    const calls = callsOf(page, ROUTES.validate);
    const token = await shownToken(page);
    await page.clock.setSystemTime(Date.now() + 16 * 60_000);
    await change(page, { renewAt: 0 });
    await page.getByText("The session is not extended at the moment").waitFor();
    assert.isEmpty(calls);
    assert.equal(await shownToken(page), token);
    await page.keyboard.press("Shift");
    await page.getByText("The session is not extended at the moment").waitFor({ state: "hidden" });
    await eventually(async () => assert.lengthOf(calls, 1));
    // The extension is over: its end would overwrite what follows.
    await eventually(async () => assert.isTrue(await page.evaluate(isRenewed)));
    await page.clock.setSystemTime(Date.now() + 40 * 60_000);
    await page.getByText("The session is not extended at the moment").waitFor();
    await change(page, { endsAt: 0 });
    await page.getByText("The session has ended because the panel was not used for 10 minutes.").waitFor();
    page = await stage.page();
    await logIn(page, stage.server.demo);
  });

  it("continues after a restart of the server", async () => {
    const token = await shownToken(page);
    await stage.stopServer();
    await change(page, { renewAt: 0 });
    await page.getByText("The session cannot be extended at the moment").waitFor();
    await stage.startServer();
    await eventually(async () => assert.notEqual(await shownToken(page), token));
    await page.getByText("The session cannot be extended at the moment").waitFor({ state: "hidden" });
    await openSection(page, "Records");
    await page.getByText(/records? shown/).waitFor();
    await openSection(page, "Home");
  });

  it("is shared by all tabs of a browser until one of them logs out", async () => {
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
      await openSection(page, "Records");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByText(/records? shown/).waitFor();
    }
    await other.getByRole("button", { name: "Log out" }).click();
    await other.getByText("You are logged out.").waitFor();
    await one.getByText("The session was ended in another tab.").waitFor();
  });

  it("survives a tab that reads the token of another tab late", async () => {
    const window = await stage.window();
    const [one, other] = [await window.newPage(), await window.newPage()];
    await one.goto("/");
    await logIn(one, stage.server.demo);
    await other.goto("/#/records");
    await other.getByText(/records? shown/).waitFor();
    const first = await other.evaluate(readLate, "sealbook.session");
    await change(one, { renewAt: 0 });
    // Until the token was replaced by the validation and by the extension.
    await eventually(async () => assert.isTrue(await one.evaluate(isRenewed)));
    assert.notEqual(await shownToken(one), first);
    const calls = callsOf(other, ROUTES.search);
    await other.getByRole("button", { name: "Search" }).click();
    await eventually(async () => assert.lengthOf(calls, 2));
    await other.getByText(/records? shown/).waitFor();
    assert.deepEqual(
      calls.map((token) => token === first),
      [true, false],
    );
    assert.isTrue(await one.getByLabel("ASC token").isVisible());
    await window.close();
  });

  it("is separate for each tab where the browser has no locks: over plain HTTP from another machine", async () => {
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
