import { once } from "node:events";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { json } from "node:stream/consumers";
import * as z from "zod";
import type { Config } from "../server/config/config.ts";
import { reasonOf, SealbookError } from "../server/errors.ts";
import { openOfflineJournal } from "../server/composition/offline-journal.ts";
import { waitFor } from "../server/kit/time.ts";
import { operatorSocket } from "../server/operations/operators/operator-socket.ts";
import { applyOperatorWrite, type OperatorWrite } from "../server/operations/operators/operator-write.ts";
import { CommandFailure } from "./commands/run-command.ts";

/** A server starts or stops meanwhile, or another relayer begins to lead. */
const WAIT = { intervalMilliseconds: 200, timeoutMilliseconds: 60_000 };
/** Longer than the server waits for the leader. */
const MOST_MILLISECONDS = 90_000;

const OUTCOME_UNKNOWN = "there was no response in time: look whether the change was made";
const UNKNOWN: Failure = { kind: "unknown", error: new CommandFailure(OUTCOME_UNKNOWN) };

const Answer = z.union([z.object({ done: z.boolean() }), z.object({ detail: z.string(), type: z.string() })]);
type Answer = z.output<typeof Answer>;

/** Why an attempt did not write: whether it certainly did not, and whether another one can. */
interface Failure {
  readonly kind: "unknown" | "passing" | "final";
  readonly error: unknown;
}

/**
 * Writes to the journal for a command: through the server of the data folder, or without one. Two processes never write
 * a journal.
 * @returns false when there was nothing to change
 * @throws SealbookError or CommandFailure when neither is possible, for a minute where waiting can help
 */
export async function writeAsOperator(config: Config, write: OperatorWrite): Promise<boolean> {
  let failure: Failure | undefined;
  const done = await waitFor(async () => {
    const result = await attempt(config, write);
    if (typeof result === "boolean") return result;
    // Once an outcome is not known, only a repetition that succeeds says more. It changes nothing else.
    if (failure?.kind !== "unknown") failure = result;
    if (failure.kind === "final") throw failure.error;
    return undefined;
  }, WAIT);
  if (done === undefined) throw failure?.error;
  return done;
}

async function attempt(config: Config, write: OperatorWrite): Promise<boolean | Failure> {
  const answer = await askServer(operatorSocket(config.dataDirectory), write);
  if (answer === undefined) return writeAlone(config, write).catch(failureAlone);
  if ("done" in answer) return answer.done;
  if (answer.type.endsWith(":outcome_unknown")) return UNKNOWN;
  const kind = answer.type.endsWith(":not_leader") ? "passing" : "final";
  return { kind, error: new CommandFailure(answer.detail) };
}

function failureAlone(error: unknown): Failure {
  const { code } = error instanceof SealbookError ? error : {};
  if (code === "outcome_unknown") return UNKNOWN;
  return { kind: code === "conflict" ? "passing" : "final", error };
}

/**
 * Checks that a write would succeed.
 * @throws SealbookError or CommandFailure as {@link writeAsOperator}
 */
export async function assertWritable(config: Config): Promise<void> {
  const nothing = { kind: "divergences_resolved" as const, divergences: [], reason: "", resolvedAt: 0 };
  await writeAsOperator(config, nothing);
}

async function writeAlone(config: Config, write: OperatorWrite): Promise<boolean> {
  await using journal = await openOfflineJournal(config);
  return await applyOperatorWrite(journal.database, journal.key, write);
}

/** @returns `undefined` when there is no server */
async function askServer(socketPath: string, write: OperatorWrite): Promise<Answer | undefined> {
  const signal = AbortSignal.timeout(MOST_MILLISECONDS);
  const call = httpRequest({ socketPath, method: "POST", path: "/", signal });
  const connected = once(call, "socket").then(([socket]) => (socket.connecting ? once(socket, "connect") : undefined));
  const answered = once(call, "response") as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  call.end(JSON.stringify(write));
  try {
    await connected;
  } catch (error) {
    if (isNobody(error)) return undefined;
    throw new CommandFailure(`the server at ${socketPath} cannot be reached: ${reasonOf(error)}`);
  }
  try {
    const [answer] = await answered;
    return Answer.parse(await json(answer));
  } catch {
    return { type: ":outcome_unknown", detail: OUTCOME_UNKNOWN };
  }
}

/** Whether nobody listens, or stopped to meanwhile; a path that is too long is one of no socket. */
function isNobody(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EINVAL"].includes(String(error.code))
  );
}
