import pino, { type DestinationStream, type LevelWithSilent, type Logger, type LoggerOptions } from "pino";
import { SealbookError } from "../errors.ts";

export type { Logger };

/** Interval at which an expected failure that lasts is logged. */
const REPEAT_MILLISECONDS = 60_000;
/** Different failures whose repetitions are noticed. */
const KNOWN_FAILURES = 1_000;

/** Creates the log on standard output: JSON lines, or readable text on a terminal. */
export function createLogger(level: LevelWithSilent, terminal: boolean): Logger {
  if (!terminal) return createJsonLogger(level);
  const transport = { target: "pino-pretty", options: { translateTime: "SYS:HH:MM:ss" } };
  return pino({ ...commonOptions(), level, transport });
}

/**
 * Creates a log of JSON lines, with names of levels and ISO times in UTC.
 * @param destination By default the standard output
 */
export function createJsonLogger(level: LevelWithSilent, destination?: DestinationStream): Logger {
  return pino(
    {
      ...commonOptions(),
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination(1),
  );
}

/** Returns the details of an event, with its error under the name that the logger serializes. */
export function errorField(details: object): object {
  return "error" in details ? { err: details.error } : details;
}

function commonOptions(): LoggerOptions {
  const isDue = repetitionLimit();
  return {
    base: null,
    serializers: { err: serializeError },
    hooks: {
      logMethod([first, ...rest], method) {
        const error = failureOf(first);
        if (error === undefined || isDue(`${String(rest[0])} ${error.message}`)) method.apply(this, [first, ...rest]);
      },
    },
  };
}

/** Returns whether an error is a state of the surroundings, such as an unavailable node, not a fault of the program. */
function isExpected(error: unknown): error is SealbookError {
  return error instanceof SealbookError && error.code !== "internal";
}

/** Returns the expected failure of a line; `undefined` for other lines, and for that of one request. */
function failureOf(fields: unknown): SealbookError | undefined {
  if (typeof fields !== "object" || fields === null || !("err" in fields) || "request_id" in fields) return undefined;
  return isExpected(fields.err) ? fields.err : undefined;
}

/** Leaves the stack out where the message says everything. */
function serializeError(error: Error): object {
  if (!isExpected(error)) return pino.stdSerializers.err(error);
  const reasons: string[] = [];
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if (!reasons.includes(each.message)) reasons.push(each.message);
  return { code: error.code, message: reasons.join(": ") };
}

/** Returns a function that returns whether a failure is logged: its first occurrence, then one each minute. */
function repetitionLimit(): (failure: string) => boolean {
  const logged = new Map<string, number>();
  return (failure) => {
    const now = performance.now();
    const last = logged.get(failure);
    if (last !== undefined && now - last < REPEAT_MILLISECONDS) return false;
    // The newest are last.
    logged.delete(failure);
    logged.set(failure, now);
    const [oldest] = logged.keys();
    if (logged.size > KNOWN_FAILURES && oldest !== undefined) logged.delete(oldest);
    return true;
  };
}
