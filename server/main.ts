import { type Announcer, logAnnouncer, terminalAnnouncer } from "./composition/announcements.ts";
import { parseConfig } from "./config/config.ts";
import { readEnv } from "./config/environment.ts";
import { type Server, createServer } from "./composition/server.ts";
import { SealbookError } from "./errors.ts";
import { createLogger } from "./kit/logger.ts";

let stopping = false;
let running: { readonly context: Server; readonly announcer: Announcer } | undefined;

function onSignal(): void {
  // Whoever asks twice does not want to wait.
  if (stopping) process.exit(1);
  stopping = true;
  if (running !== undefined) void stop(running);
}

async function stop({ context, announcer }: NonNullable<typeof running>): Promise<void> {
  announcer.stopping();
  await context.stop();
  announcer.stopped();
  process.exit(0);
}

async function main(): Promise<void> {
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const config = parseConfig(readEnv());
  const logger = createLogger(config.logLevel, process.stdout.isTTY);
  const announcer = process.stdout.isTTY ? terminalAnnouncer(console.log) : logAnnouncer(logger);
  const context = await createServer(config, logger);
  running = { context, announcer };
  try {
    announcer.started({ ...context, ...(await context.start()) });
    if (stopping) await stop(running);
  } catch (error) {
    await context.stop();
    throw error;
  }
}

main().catch((error: unknown) => {
  if (error instanceof SealbookError && error.code === "config_invalid") {
    console.error(
      `Sealbook does not start:\n  ${(error.details ?? []).map(({ path, message }) => `${path} ${message}`).join("\n  ") || error.message}`,
    );
  } else if (error instanceof SealbookError) {
    console.error(`Sealbook does not start: ${error.message}`);
  } else {
    console.error("Sealbook does not start:", error);
  }
  process.exit(1);
});
