import * as z from "zod";
import { SealbookError } from "../errors.ts";
import { fromRelayer } from "../http/forwarding/accept.ts";
import { askLeader, provenAnswer, Question } from "../http/forwarding/proven-answer.ts";
import { outcomeUnknown } from "../http/forwarding/relayer-call.ts";
import { parseInput } from "../http/errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { MOST_BYTES } from "../operations/operators/operator-socket.ts";
import { applyOperatorWrite, OperatorWrite } from "../operations/operators/operator-write.ts";
import type { Context } from "./context.ts";
import type { RelayerRoute } from "./relayers.ts";

const WRITE_PATH = "/relayers/write";
/** A write is one transaction. */
const MOST_MILLISECONDS = 60_000;

const Result = z.object({ done: z.boolean() });

export interface OperatorWrites {
  /**
   * Writes what a command of an operator on this machine asks for, here or at the leader.
   * @returns false when there was nothing to change
   * @throws SealbookError `not_leader` when nothing was written; `outcome_unknown` when it may have been
   */
  write(given: OperatorWrite): Promise<boolean>;
  /** Takes those of the operators of other relayers. */
  readonly routes: readonly RelayerRoute[];
}

export function createOperatorWrites(context: Context): OperatorWrites {
  const { opened, isLeader } = context;
  const key = opened.relayers?.peers.key;
  const write = isLeader
    ? (given: OperatorWrite): Promise<boolean> => apply(context, given)
    : (given: OperatorWrite): Promise<boolean> => forwarded(context, given);
  if (key === undefined) return { write, routes: [] };
  const route: RelayerRoute = {
    path: WRITE_PATH,
    handlers: [
      fromRelayer,
      ...jsonBody({ limit: 2 * MOST_BYTES }),
      async (request, response) => {
        const { number, content } = parseInput(Question, request.body);
        // A write is never forwarded twice.
        const done = await apply(context, parseInput(OperatorWrite, content));
        response.json(provenAnswer(key, number, { done }));
      },
    ],
  };
  return { write, routes: [route] };
}

async function apply({ opened, database, assertLeads }: Context, given: OperatorWrite): Promise<boolean> {
  assertLeads();
  try {
    return await applyOperatorWrite(database, opened.journalKey, given);
  } catch (error) {
    // Its commit may have been the last one of the session.
    const isLost = error instanceof SealbookError && ["not_leader", "journal_unavailable"].includes(error.code);
    throw isLost ? outcomeUnknown(error) : error;
  }
}

async function forwarded({ opened: { relayers } }: Context, given: OperatorWrite): Promise<boolean> {
  if (relayers === undefined)
    throw new SealbookError("conflict", "another relayer leads, and RELAYERS, with its address, is not set here");
  const answer = await askLeader(relayers.peers, WRITE_PATH, given, AbortSignal.timeout(MOST_MILLISECONDS));
  return Result.parse(answer).done;
}
