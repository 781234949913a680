import pino, { type LevelWithSilent, type Logger } from "pino";

export type { Logger };

/** Structured log on standard output: JSON lines, or readable ones on a terminal. */
export function createLogger(level: LevelWithSilent, terminal: boolean): Logger {
  return pino({
    level,
    base: null,
    ...(terminal ? { transport: { target: "pino-pretty", options: { translateTime: "SYS:HH:MM:ss" } } } : {}),
  });
}
