import { type Finding, findingText } from "./finding.ts";
import type { CheckResult } from "./journal-check.ts";
import { printable } from "../proofs/reason.ts";

/** Formats a finding as a line of standard output. */
export function findingLine(finding: Finding, json: boolean): string {
  return json ? JSON.stringify({ ...finding, message: findingText(finding) }) : printable(findingText(finding));
}

/** Formats the extent of the check as the last line of output. */
export function resultLine({ resumePoint, ...result }: CheckResult, queriesChain: boolean, json: boolean): string {
  const { isComplete, from, to, proofs, confirmations, accounts, checkpoints, pending, compared, findings } = result;
  if (json) {
    const digest = Buffer.from(resumePoint.digest).toString("hex");
    return JSON.stringify({
      kind: "result",
      complete: isComplete,
      from,
      to,
      proofs,
      confirmations,
      accounts,
      checkpoints,
      pending,
      compared,
      findings,
      right_to: resumePoint.sequence,
      digest,
    });
  }
  const chain = queriesChain ? `${compared} confirmations compared with the chain` : "the chain was not queried";
  const verdict = findings === 0 ? "all right" : findings === 1 ? "1 finding" : `${findings} findings`;
  return (
    `${isComplete ? "" : "interrupted: "}entries ${from + 1} to ${to}: ${proofs} proofs (${pending} not ` +
    "confirmed yet), " +
    `${confirmations} confirmations (${checkpoints} of the journal itself), ${accounts} accounts; ${chain}: ${verdict}`
  );
}
