import type { Browser, BrowserContext, Page } from "playwright-core";
import { buildPanel } from "../../scripts/panel/build.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { BROWSER_TIMEOUT_MILLISECONDS, launchChromium } from "./chromium.ts";
import { startServer, type TestServer, type TestServerOptions } from "./server.ts";

/** A host name that the browser does not treat as localhost: over plain HTTP such an origin is not secure. */
export const REMOTE_NAME = "sealbook.test";

/** The built panel, a server that serves it, and a browser. */
export interface PanelStage extends AsyncDisposable {
  /** The server; after a restart the new one. */
  readonly server: TestServer;
  readonly browser: Browser;
  /** All requests of the pages. */
  readonly requested: readonly string[];
  /** Messages of the browser: violations of the policy, errors of scripts. */
  readonly complaints: readonly string[];
  /** Ends the server. */
  stopServer(): Promise<void>;
  /** Restarts the server with the same address and data. */
  startServer(): Promise<void>;
  /** Opens a separate window with its own cookies and storage. */
  window(options?: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext>;
  /** Opens a page in a separate window. */
  page(path?: string, options?: Parameters<Browser["newContext"]>[0]): Promise<Page>;
}

/** Builds the panel if its sources have changed, and starts a server and a browser; one of each per test file. */
export async function openPanel(
  given: EnvironmentVariables = {},
  options: TestServerOptions = {},
): Promise<PanelStage> {
  await buildPanel();
  const variables = { ALLOWED_HOSTS: REMOTE_NAME, ...given };
  let server = await startServer(variables, options);
  const { port } = new URL(server.url);
  const browser = await launchChromium(`--host-resolver-rules=MAP ${REMOTE_NAME} 127.0.0.1`);
  const requested: string[] = [];
  const complaints: string[] = [];

  const window: PanelStage["window"] = async (given) => {
    const opened = await browser.newContext({
      baseURL: server.url,
      locale: "en-GB",
      viewport: { width: 1280, height: 900 },
      ...given,
    });
    opened.setDefaultTimeout(BROWSER_TIMEOUT_MILLISECONDS);
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
