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

/** Details of an event with its error, when it has one, under the name by which the logger writes an error's stack. */
export function errorField(details: object): object {
  return "error" in details ? { err: details.error } : details;
}
