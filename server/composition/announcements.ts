import type { DemoAccount } from "../sessions/demo-account.ts";
import type { Logger } from "../kit/logger.ts";

/** What a server that has started tells of itself. */
export interface Started {
  readonly url: string;
  /** Address of the chain's JSON-RPC when this process runs the chain. */
  readonly embeddedChainUrl: string | undefined;
  /** When it was made just now. */
  readonly demoAccount: DemoAccount | undefined;
  /** Where its login and password are kept. */
  readonly demoAccountFile: string;
}

/** Says what becomes of the process. */
export interface Announcer {
  started(started: Started): void;
  stopping(): void;
  stopped(): void;
}

/** For people at a terminal, in plain words: what is shown there, the demo account's password too, is kept nowhere. */
export function terminalAnnouncer(say: (text: string) => void): Announcer {
  return {
    started({ url, embeddedChainUrl, demoAccount, demoAccountFile }) {
      if (demoAccount !== undefined) say(welcome(url, demoAccount, demoAccountFile));
      if (embeddedChainUrl !== undefined) say(`Embedded chain: ${embeddedChainUrl}`);
      say(`Sealbook listens on ${url}`);
    },
    stopping: () => say("Stopping."),
    stopped: () => say("Stopped."),
  };
}

/** For whatever collects the log, as lines of it: where the password is, not the password. */
export function logAnnouncer(logger: Logger): Announcer {
  return {
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
