import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../server/config/config.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import type { ServerOverrides } from "../../server/composition/context.ts";
import { createServer, type Server } from "../../server/composition/server.ts";
import { createJsonLogger, type Logger } from "../../server/kit/logger.ts";
import { removeDirectory, temporaryDirectory } from "./directory.ts";
import { putKey } from "./journal-key.ts";
import { type HttpResponse, post, request } from "./http.ts";
import { adjusted, type Settings } from "./settings.ts";
import { secretWatch } from "./secrets/watch.ts";

/** Credentials of an account. */
export interface Login {
  readonly login: string;
  readonly password: string;
}

/** A running server of this process, with its own embedded chain and database. */
export interface TestServer {
  readonly url: string;
  readonly chainUrl: string;
  readonly directory: string;
  readonly context: Server;
  /** The demo account. */
  readonly demo: Login;
  /** The log, one entry per line. */
  readonly log: readonly string[];
  /** The server's logger. */
  readonly logger: Logger;
  /** Calls the record store API. */
  call(route: string, credentials: unknown, payload?: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Logs in and returns the token; fails when the login is refused. */
  login(account?: Login): Promise<string>;
  /** Calls the integrity-proof API, or any other path. */
  get(path: string, init?: RequestInit): Promise<HttpResponse>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<HttpResponse>;
  /** Ends the server and removes its folder, except with `keep`. */
  stop(keep?: "keep"): Promise<void>;
}

export interface TestServerOptions {
  readonly directory?: string;
  readonly overrides?: ServerOverrides;
  readonly settings?: Settings;
}

/** Passwords of tests protect nothing, and blocks of their chains come without a pause. */
export const FAST = { keystoreRounds: 2 ** 10, headMilliseconds: 100 } as const;
/** And lost transactions are missed soon. */
export const FAST_RECHECK = { ...FAST, recheckMilliseconds: 500 } as const;

/** Starts the server like `npm start`, but in this process and on free ports. */
export async function startServer(
  variables: EnvironmentVariables = {},
  { directory: given, overrides, settings }: TestServerOptions = {},
): Promise<TestServer> {
  const directory = given ?? (await temporaryDirectory());
  if (variables.DATABASE_URL !== undefined) await putKey(directory);
  const log: string[] = [];
  secretWatch.wrote("the log", () => log.join(""));
  secretWatch.configured(variables);
  const logger = createJsonLogger("debug", { write: (line: string) => void log.push(line) });
  const embedded = variables.RPC_URL === undefined ? { CHAIN_PORT: "0" } : {};
  const config = adjusted(parseConfig({ PORT: "0", DATA_DIR: directory, ...embedded, ...variables }), settings);
  const context = await createServer(config, logger, { ...FAST, ...overrides });
  const { url } = await context.start();
  secretWatch.keeps(directory);
  for (const { keystore } of await context.journal.accounts.list())
    secretWatch.uses("keystore of an account", JSON.parse(keystore).Crypto?.ciphertext);
  // Getters: spreading would read the account before it exists.
  return Object.assign(
    clientOf(url, () => demoAccount(directory)),
    {
      directory,
      context,
      log,
      logger,
      chainUrl: context.embeddedChainUrl ?? variables.RPC_URL ?? "",
      async stop(keep?: "keep") {
        secretWatch.keeps(directory);
        await context.stop();
        if (keep === undefined) await removeDirectory(directory);
      },
    },
  );
}

/** Returns the account in the folder's `demo-account.json`. */
export function demoAccount(directory: string): Login {
  return JSON.parse(readFileSync(join(directory, "demo-account.json"), "utf8")) as Login;
}

/** Returns a client of the server at an address. */
export function clientOf(
  url: string,
  demo: () => Login,
): Pick<TestServer, "url" | "demo" | "call" | "login" | "get" | "post"> {
  const call: TestServer["call"] = (route, credentials, payload, headers) =>
    post(`${url}/api`, { credentials, method: "GET", route, ...(payload === undefined ? {} : { payload }) }, headers);
  return {
    url,
    get demo() {
      return demo();
    },
    call,
    async login(account = demo()) {
      const response = await call(ROUTES.auth, account);
      if (response.status !== 200) throw new Error(`login: ${response.text}`);
      return String(response.body.content.tparams.tx);
    },
    get: (path, init) => request(`${url}${path}`, init),
    post: (path, body, headers) => post(`${url}${path}`, body, headers),
  };
}

export const ROUTES = {
  auth: "/api/admin/auth",
  validate: "/api/admin/session/validate",
  extend: "/api/admin/session/extend",
  close: "/api/admin/session/close",
  store: "/api/datastore/event/store",
  search: "/api/datastore/event/search",
  decode: "/api/datastore/transaction/decode",
} as const;
