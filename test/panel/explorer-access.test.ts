import { SEALBOOK } from "../support/sealbook.ts";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describeInBrowser } from "../support/chromium.ts";
import { openPanel, type PanelStage } from "../support/panel.ts";
import { ROUTES } from "../support/server.ts";
import { SURROUNDINGS } from "../support/surroundings.ts";
import { logIn } from "./steps.ts";

const run = promisify(execFile);

describeInBrowser("panel and explorer of a server with API keys", function () {
  let stage: PanelStage;
  before(async () => {
    stage = await openPanel({ API_AUTH: "apikey", SESSION_LIFETIME: "3600" });
  });
  after(() => stage[Symbol.asyncDispose]());

  it("ask for a key, and show the chain with it", async () => {
    const env = { ...SURROUNDINGS, DATA_DIR: stage.server.directory };
    const { stdout } = await run(
      process.execPath,
      [SEALBOOK, "apikey", "create", "a test", "--scope", "read", "--json"],
      { env },
    );
    const page = await stage.page("/explorer");
    await page.getByText("An API key is required").first().waitFor();
    await page.getByLabel("API key or token").first().fill(JSON.parse(stdout).key);
    await page.getByRole("button", { name: "Try again" }).first().click();
    await page.getByText("An API key is required").first().waitFor({ state: "hidden" });
    await page.locator('a[href*="/explorer/block"]').first().waitFor();
  });

  it("show the numbers of hidden characters in a record's code and topic", async () => {
    const { server } = stage;
    const token = await server.login();
    const record = { code: "invoice\u202Efdp.exe", topic: "a\u200Bb\u2066c", payload: { text: "x\uFEFFy" } };
    await server.call(ROUTES.store, { token }, record);
    const page = await stage.page();
    await logIn(page, server.demo);
    await page.goto("/#/records");
    await page.getByText("invoice[U+202E]fdp.exe").waitFor();
    await page.getByText("a[U+200B]b[U+2066]c").waitFor();
  });
});
