import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { buildPanel } from "../../scripts/panel/build.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { CHROMIUM, missingPackage } from "./debian-tools.ts";
import { startServer, type TestServer, type TestServerOptions } from "./server.ts";

/** A name of the server that the browser does not know to be its own machine: over plain HTTP it trusts it less. */
export const REMOTE_NAME = "sealbook.test";

/** The built panel, a server that gives it, and a browser to look at it with. */
export interface PanelStage extends AsyncDisposable {
  /** The server; after a restart the new one. */
  readonly server: TestServer;
  readonly browser: Browser;
  /** Whatever the pages asked for. */
  readonly requested: readonly string[];
  /** What the browser complained of: violations of the policy, faults of scripts. */
  readonly complaints: readonly string[];
  /** Ends the server. */
  stopServer(): Promise<void>;
  /** Starts it again, at the same address and with what it had. */
  startServer(): Promise<void>;
  /** A window of its own, with nothing in it of the others: other cookies, other storage. */
  window(options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext>;
  /** A page in a window of its own. */
  page(path?: string, options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
}

/** Builds the panel when its sources have changed, and starts a server and a browser; one of each per test file. */
export async function openPanel(
  variables: EnvironmentVariables = {},
  options: TestServerOptions = {},
): Promise<PanelStage> {
  if (!existsSync(CHROMIUM)) throw missingPackage(CHROMIUM, "chromium");
  await buildPanel();
  let server = await startServer(variables, options);
  const { port } = new URL(server.url);
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", `--host-resolver-rules=MAP ${REMOTE_NAME} 127.0.0.1`],
  });
  const requested: string[] = [];
  const complaints: string[] = [];

  const window: PanelStage["window"] = async (given) => {
    const opened = await browser.newContext({
      baseURL: server.url,
      locale: "en-GB",
      viewport: { width: 1280, height: 900 },
      ...given,
    });
    opened.on("request", (request) => requested.push(request.url()));
    opened.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    opened.on("weberror", (error) => complaints.push(error.error().message));
    return opened;
  };
  return {
    get server() {
      return server;
    },
    browser,
    requested,
    complaints,
    window,
    stopServer: () => server.stop("keep"),
    async startServer() {
      server = await startServer({ ...variables, PORT: port }, { ...options, directory: server.directory });
    },
    async page(path = "/", given) {
      const page = await (await window(given)).newPage();
      await page.goto(path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server.stop();
    },
  };
}
