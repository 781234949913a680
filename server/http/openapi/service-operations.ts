import { z } from "zod";
import { Problem } from "../proofs/answers.ts";
import { answered } from "../proofs/examples.ts";
import { JSON_TYPE, type Operation, PROBLEM_TYPE } from "./operation.ts";

const TAG = "Operation";
const METRICS_TYPE = "text/plain";
const Alive = z.object({ status: z.literal("ok") }).meta({ id: "Alive" });
const other = { status: 405, description: "It is asked with GET only.", content: { [PROBLEM_TYPE]: Problem } };
const ok = { name: "ok", summary: "All is well", answer: answered({ status: "ok" }) };

/** What supervisors of the process ask. */
export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    id: "live",
    method: "get",
    path: "/livez",
    tag: TAG,
    summary: "Tell whether the process lives",
    description: "Alive is who answers.",
    isGuarded: false,
    answers: [{ status: 200, description: "It lives.", content: { [JSON_TYPE]: Alive } }, other],
    examples: [ok],
  },
  {
    id: "ready",
    method: "get",
    path: "/readyz",
    tag: TAG,
    summary: "Tell whether work can be taken",
    description: "Without a chain it is accepted, without a journal nothing is.",
    isGuarded: false,
    answers: [
      { status: 200, description: "It can.", content: { [JSON_TYPE]: Alive } },
      other,
      { status: 503, description: "The journal cannot be read.", content: { [PROBLEM_TYPE]: Problem } },
    ],
    examples: [ok],
  },
  {
    id: "metrics",
    method: "get",
    path: "/metrics",
    tag: TAG,
    summary: "Tell the metrics",
    description: "In the text format of Prometheus, for the networks that may use the integrity-proof API.",
    isGuarded: false,
    answers: [
      { status: 200, description: "The metrics.", content: { [METRICS_TYPE]: z.string() } },
      { status: 403, description: "The caller's network does not allow this.", content: { [PROBLEM_TYPE]: Problem } },
      other,
    ],
    examples: [
      {
        name: "metrics",
        summary: "The first lines",
        answer: answered("# HELP process_open_fds Number of open file descriptors.\n# TYPE process_open_fds gauge\nprocess_open_fds 31\n", 200, METRICS_TYPE),
      },
    ],
  },
];
