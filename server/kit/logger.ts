import pino, { type LevelWithSilent, type Logger } from "pino";

export type { Logger };

/** Creates the log on standard output: JSON lines, or readable text on a terminal. */
export function createLogger(level: LevelWithSilent, terminal: boolean): Logger {
  return pino({
    level,
    base: null,
    ...(terminal ? { transport: { target: "pino-pretty", options: { translateTime: "SYS:HH:MM:ss" } } } : {}),
  });
}

/** Returns the details of an event, with its error under the name for which the logger writes the stack. */
export function errorField(details: object): object {
  return "error" in details ? { err: details.error } : details;
}
