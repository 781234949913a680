import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { SealbookError } from "../errors.ts";
import { type HttpServer, listen } from "../http/listener.ts";
import type { Logger } from "../kit/logger.ts";
import { NetworkList } from "../kit/network-list.ts";
import type { AccountService } from "../sessions/account-service.ts";
import type { DemoAccount } from "../sessions/demo-account.ts";
import type { ServerOverrides } from "./context.ts";
import { DEMO_ACCOUNT_FILE } from "./data-folder.ts";
import type { Findings } from "../journal/findings/findings.ts";
import type { Journal } from "./journal.ts";
import { type Opened, openAll } from "./resources.ts";
import { listenForOperators, operatorSocket } from "../operations/operators/operator-socket.ts";
import { RoleChange } from "./role-change.ts";
import { Role } from "./role.ts";

/** How long a stop lets requests wait for the chain: shorter than the grace period of the HTTP server. */
const STOP_WAIT_MILLISECONDS = 3_000;
const TOO_MANY_CONNECTIONS = new SealbookError("overloaded", "a network address, or all, have too many connections");

/** The server: {@link createServer} builds it, `start` runs it, `stop` ends it cleanly. */
export interface Server {
  readonly journal: Journal;
  readonly findings: Findings;
  readonly accounts: AccountService | undefined;
  /** Address of the chain's JSON-RPC when this process runs the chain. */
  readonly embeddedChainUrl: string | undefined;
  readonly demoAccountFile: string;
  /**
   * Starts the workers and listens.
   * @returns the address of the listener, and the demo account when this start made it
   */
  start(): Promise<{ url: string; demoAccount: DemoAccount | undefined }>;
  stop(): Promise<void>;
}

/** Opens the chain and the journal and builds every part; nothing runs yet. */
export async function createServer(config: Config, logger: Logger, overrides: ServerOverrides = {}): Promise<Server> {
  const opened = await openAll(config, logger, overrides);
  const { resources } = opened;
  try {
    const create = (): Promise<Role> => Role.create(config, opened, logger, overrides);
    const roles = new RoleChange(opened, await create(), create, logger);
    let server: HttpServer | undefined;
    let socket: AsyncDisposable | undefined;
    return {
      get journal() {
        return roles.current.context.journal;
      },
      get findings() {
        return roles.current.context.findings;
      },
      get accounts() {
        return roles.current.parts.sessions.accounts;
      },
      embeddedChainUrl: opened.link.embedded?.url,
      demoAccountFile: join(config.dataDirectory, DEMO_ACCOUNT_FILE),
      async start() {
        const demoAccount = await roles.start();
        server = await listenWith(config, opened, roles, logger);
        socket = await listenLocally(config, roles, logger);
        return { url: server.url, demoAccount };
      },
      async stop() {
        await socket?.[Symbol.asyncDispose]();
        await roles.stop(async (role) => {
          if (server === undefined) return;
          const timer = setTimeout(() => role.release(), STOP_WAIT_MILLISECONDS);
          await server.close();
          clearTimeout(timer);
        });
        await resources.disposeAsync();
      },
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

/** Listens for the commands of operators in the data folder. */
async function listenLocally(config: Config, roles: RoleChange, logger: Logger): Promise<AsyncDisposable | undefined> {
  try {
    return await listenForOperators(operatorSocket(config.dataDirectory), {
      write: (given) => roles.current.parts.operatorWrites.write(given),
      onFailure: (err) => logger.error({ err }, "a command could not write to the journal"),
    });
  } catch (err) {
    // The path of a socket has at most 107 bytes.
    logger.warn({ err }, "commands that write need a stopped server: the socket in DATA_DIR cannot be used");
    return undefined;
  }
}

/** Listens for requests to the current role. */
async function listenWith(config: Config, opened: Opened, roles: RoleChange, logger: Logger): Promise<HttpServer> {
  const proxies = new NetworkList(config.access.trustedProxies);
  const server = await listen((request, response) => roles.current.app(request, response), {
    host: config.http.host,
    port: config.http.port,
    certificate: opened.certificate,
    isProxy: (source) => proxies.has(source),
    onRefusal() {
      opened.metrics.connectionsRefused.inc();
      // The log has it once a minute.
      logger.warn({ err: TOO_MANY_CONNECTIONS }, "connections are refused");
    },
  });
  opened.address.listening(server.url);
  return server;
}
