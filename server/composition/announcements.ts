import { SealbookError } from "../errors.ts";
import type { Logger } from "../kit/logger.ts";
import type { DemoAccount } from "../sessions/demo-account.ts";

/** Facts about a server that has started. */
export interface Started {
  readonly url: string;
  /** Address of the chain's JSON-RPC when this process runs the chain. */
  readonly embeddedChainUrl: string | undefined;
  /** Present when this start made it. */
  readonly demoAccount: DemoAccount | undefined;
  /** File with its login and password. */
  readonly demoAccountFile: string;
}

/** Announces the start and the end of the server. */
export interface Announcer {
  /** @param old New path of the folder before */
  begunAnew(directory: string, old: string): void;
  started(started: Started): void;
  stopping(): void;
  stopped(): void;
}

/** Announces on the terminal when there is one, else in the log. */
export function createAnnouncer(logger: Logger, terminal: boolean): Announcer {
  return terminal ? terminalAnnouncer(console.log) : logAnnouncer(logger);
}

/** Prints plain text, with the demo account's password: a terminal's text is not stored. */
export function terminalAnnouncer(print: (text: string) => void): Announcer {
  return {
    begunAnew: (directory, old) => print(begunAnew(directory, old)),
    started({ url, embeddedChainUrl, demoAccount, demoAccountFile }) {
      if (demoAccount !== undefined) print(welcome(url, demoAccount, demoAccountFile));
      if (embeddedChainUrl !== undefined) print(`Embedded chain: ${embeddedChainUrl}`);
      print(`Sealbook listens on ${url}`);
    },
    stopping: () => print("Stopping."),
    stopped: () => print("Stopped."),
  };
}

/** Writes log lines. They name the file with the password, not the password: logs are stored. */
export function logAnnouncer(logger: Logger): Announcer {
  return {
    begunAnew: (directory, old) => logger.info(begunAnew(directory, old)),
    started({ url, embeddedChainUrl, demoAccount, demoAccountFile: file }) {
      if (demoAccount !== undefined)
        logger.info({ login: demoAccount.login, file }, "A demo account was made; the file has its password");
      if (embeddedChainUrl !== undefined) logger.info(`Embedded chain: ${embeddedChainUrl}`);
      logger.info(`Sealbook listens on ${url}`);
    },
    stopping: () => logger.info("Stopping."),
    stopped: () => logger.info("Stopped."),
  };
}

/** Returns the reason why the server does not start, for `console.error`: a programming error comes with its stack. */
export function startFailure(error: unknown): readonly unknown[] {
  if (error instanceof SealbookError && error.code === "config_invalid") {
    const faults = (error.details ?? []).map(({ path, message }) => `${path} ${message}`);
    return [`Sealbook does not start:\n  ${faults.join("\n  ") || error.message}`];
  }
  if (error instanceof SealbookError) {
    return [`Sealbook does not start: ${error.message}`];
  }
  return ["Sealbook does not start:", error];
}

function begunAnew(directory: string, old: string): string {
  return `${directory} is a new folder; the old one is kept as ${old}`;
}

function welcome(url: string, { login, password }: DemoAccount, file: string): string {
  const call = JSON.stringify({ credentials: { login, password }, method: "GET", route: "/api/admin/auth" });
  return `
A demo account was made; it is kept in ${file}
  login     ${login}
  password  ${password}
Open ${url} in a browser and log in, or call it:
  curl -s ${url}/api -H 'Content-Type: application/json' -d '${call}'
`;
}
