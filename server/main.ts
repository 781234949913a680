import { parseConfig } from "./config/config.ts";
import { readEnv } from "./config/environment.ts";
import { type Context, createContext } from "./context.ts";
import { EmbeddedChainError } from "./chain/embedded/embedded-chain.ts";
import { SealbookError } from "./errors.ts";
import { createLogger } from "./telemetry/logger.ts";

let stopping = false;
let context: Context | undefined;

function onSignal(): void {
  // Whoever asks twice does not want to wait.
  if (stopping) process.exit(1);
  stopping = true;
  if (context !== undefined) void stop(context);
}

async function stop(running: Context): Promise<void> {
  console.log("Stopping.");
  await running.stop();
  console.log("Stopped.");
  process.exit(0);
}

async function main(): Promise<void> {
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const config = parseConfig(readEnv());
  context = await createContext(config, createLogger(config.logLevel, process.stdout.isTTY));
  try {
    const { url, demoAccount } = await context.start();
    if (demoAccount !== undefined) console.log(welcome(url, demoAccount, context.demoAccountFile));
    if (context.embeddedChainUrl !== undefined) console.log(`Embedded chain: ${context.embeddedChainUrl}`);
    console.log(`Sealbook listens on ${url}`);
    if (stopping) await stop(context);
  } catch (error) {
    await context.stop();
    throw error;
  }
}

function welcome(url: string, { login, password }: { login: string; password: string }, file: string): string {
  const call = JSON.stringify({ credentials: { login, password }, method: "GET", route: "/api/admin/auth" });
  return `
A demo account was made; it is kept in ${file}
  login     ${login}
  password  ${password}
Open ${url} in a browser and log in, or call it:
  curl -s ${url}/api -H 'Content-Type: application/json' -d '${call}'
`;
}

main().catch((error: unknown) => {
  if (error instanceof SealbookError && error.code === "config_invalid") {
    console.error(`Sealbook does not start:\n  ${(error.details ?? []).map(({ path, message }) => `${path} ${message}`).join("\n  ") || error.message}`);
  } else if (error instanceof SealbookError || error instanceof EmbeddedChainError) {
    console.error(`Sealbook does not start: ${error.message}`);
  } else {
    console.error("Sealbook does not start:", error);
  }
  process.exit(1);
});
