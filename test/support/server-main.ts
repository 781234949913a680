// Runs the server like server/main.ts, with the replacements of tests.
import { createAnnouncer } from "../../server/composition/announcements.ts";
import type { ServerOverrides } from "../../server/composition/context.ts";
import { createServer } from "../../server/composition/server.ts";
import { parseConfig } from "../../server/config/config.ts";
import { readEnv } from "../../server/config/environment.ts";
import { createLogger } from "../../server/kit/logger.ts";
import { adjusted, type Settings } from "./settings.ts";

const { settings, ...overrides }: ServerOverrides & { settings?: Settings } = JSON.parse(process.argv[2] ?? "{}");
const signal = new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
const config = adjusted(parseConfig(readEnv()), settings);
const logger = createLogger(config.logLevel, false);
const announcer = createAnnouncer(logger, false);
const server = await createServer(config, logger, overrides);
announcer.started({ ...server, ...(await server.start()) });
await signal;
announcer.stopping();
await server.stop();
announcer.stopped();
process.exit(0);
