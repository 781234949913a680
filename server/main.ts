import { createAnnouncer, startFailure } from "./composition/announcements.ts";
import { beginAnew } from "./composition/fresh-folder.ts";
import { createServer, type Server } from "./composition/server.ts";
import { parseConfig } from "./config/config.ts";
import { type EnvironmentVariables, isStartedByNpm } from "./config/environment.ts";
import { createLogger } from "./kit/logger.ts";

const PARENT_MILLISECONDS = 500;
/** On a terminal Ctrl-C reaches the server twice under npm: from the terminal and from npm. */
const SAME_SIGNAL_MILLISECONDS = 500;

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    let signalledAt = Infinity;
    const onSignal = (): void => {
      const now = performance.now();
      if (now - signalledAt > SAME_SIGNAL_MILLISECONDS) process.exit(1);
      signalledAt = Math.min(signalledAt, now);
      resolve(undefined);
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    if (isStartedByNpm()) onParentEnd(() => resolve(undefined));
  });
}

/** npm starts programs through a shell, which passes no signal on and ends: `npx sealbook start` stops with it. */
function onParentEnd(stop: () => void): void {
  const { ppid } = process;
  const timer = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(timer);
    stop();
  }, PARENT_MILLISECONDS).unref();
}

type StartResult = Awaited<ReturnType<Server["start"]>>;

/** Starts the server; a signal ends the wait for a start that takes long. */
async function start(server: Server, signal: Promise<undefined>): Promise<StartResult | undefined> {
  try {
    return await Promise.race([server.start(), signal]);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function run(variables: EnvironmentVariables, { fresh }: RunOptions): Promise<void> {
  const signal = stopSignal();
  const config = parseConfig({ ...variables, ...(fresh ? { NEW_JOURNAL: "yes" } : {}) });
  const old = fresh ? await beginAnew(config) : undefined;
  const logger = createLogger(config.logLevel, process.stdout.isTTY);
  const announcer = createAnnouncer(logger, process.stdout.isTTY);
  if (old !== undefined) announcer.begunAnew(config.dataDirectory, old);
  const server = await createServer(config, logger);
  const started = await start(server, signal);
  if (started !== undefined) announcer.started({ ...server, ...started });
  await signal;
  announcer.stopping();
  await server.stop();
  announcer.stopped();
  process.exit(0);
}

/** Options of a run. */
export interface RunOptions {
  /** Whether to begin a new data folder beside the old one. */
  readonly fresh: boolean;
}

/** Runs the server in this process until SIGINT or SIGTERM. Exit codes: 0 after a stop, 1 after a failure. */
export async function runServer(variables: EnvironmentVariables, options: RunOptions): Promise<void> {
  try {
    await run(variables, options);
  } catch (error) {
    console.error(...startFailure(error));
    process.exit(1);
  }
}
