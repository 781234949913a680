import { createHmac, type KeyObject } from "node:crypto";
import type { IncomingMessage } from "node:http";
import * as z from "zod";
import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { PROBLEM_PREFIX } from "../problem.ts";
import { addressOfLeader, callLeader, outcomeUnknown, type Peers } from "./relayer-call.ts";
import { newNonce } from "./forwarded-call.ts";

/** Longer than any response of a relayer to another one. */
const MOST_BYTES = 1024 * 1024;

/** What one relayer asks another one: the number says which response belongs to it. */
export const Question = z.object({ number: z.string(), content: z.unknown() });

const Answer = z.object({ content: z.unknown(), code: z.hex() });
const Problem = z.object({ type: z.string(), detail: z.string() });

/** Returns the body of a response that proves to be a relayer's: a listener at its address has no key. */
export function provenAnswer(key: KeyObject, number: string, content: unknown): z.output<typeof Answer> {
  return { content, code: codeOf(key, number, content).toString("hex") };
}

function codeOf(key: KeyObject, number: string, content: unknown): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["answer", number, content]))
    .digest();
}

/**
 * Asks the leader.
 * @returns the content of its response
 * @throws SealbookError `not_leader` when no relayer leads, or the leader has not got the question; `outcome_unknown`
 * when it may have; `conflict` when it refuses
 */
export async function askLeader(peers: Peers, url: string, content: unknown, signal: AbortSignal): Promise<unknown> {
  const leader = await addressOfLeader(peers);
  if (leader === undefined)
    throw new SealbookError("not_leader", "no relayer leads, or its address is not in RELAYERS");
  const number = newNonce();
  const answer = await callLeader(peers, leader, {
    method: "POST",
    url,
    headers: { "content-type": "application/json" },
    caller: { source: `relayer ${peers.self}`, isProxy: false, isSecure: true },
    body: Buffer.from(JSON.stringify({ number, content })),
    requestId: number,
    signal,
  });
  const body = await jsonOf(answer);
  const proven = Answer.safeParse(body).data;
  const isProven =
    proven !== undefined && equalBytes(Buffer.from(proven.code, "hex"), codeOf(peers.key, number, proven.content));
  if (isProven) return proven.content;
  const problem = Problem.safeParse(body).data;
  if (problem?.type === `${PROBLEM_PREFIX}not_leader`) throw new SealbookError("not_leader", problem.detail);
  if (problem === undefined || problem.type === `${PROBLEM_PREFIX}outcome_unknown`) throw outcomeUnknown(undefined);
  throw new SealbookError("conflict", `the relayer ${leader.id}, which leads, refuses: ${problem.detail}`);
}

/** @throws SealbookError `outcome_unknown` when it is no JSON, or too long */
async function jsonOf(answer: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of answer) {
      length += chunk.length;
      if (length > MOST_BYTES) throw new RangeError("the response is too long");
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch (cause) {
    throw outcomeUnknown(cause);
  }
}
