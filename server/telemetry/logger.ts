import pino, { type Logger } from "pino";
import type { Config } from "../config.ts";

export type { Logger };

/** Structured log on standard output: JSON lines, or readable ones on a terminal. */
export function createLogger(level: Config["logLevel"], terminal: boolean): Logger {
  return pino({
    level,
    base: null,
    ...(terminal ? { transport: { target: "pino-pretty", options: { translateTime: "SYS:HH:MM:ss" } } } : {}),
  });
}
