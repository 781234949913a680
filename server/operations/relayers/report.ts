import * as z from "zod";
import { headOf } from "../../journal/findings/subject.ts";
import { AlertKind } from "../responses.ts";

export const REPORT_PATH = "/relayers/report";

/** Items of a list in a report, and characters of a text. Further ones come when the first ones are over. */
const MOST_ITEMS = 100;
const MOST_CHARACTERS = 500;

/** What a relayer that follows knows and the leader does not. */
export const RelayerReport = z.object({
  relayer: z.string(),
  isNodeHealthy: z.boolean(),
  /** Whether it has followed the journal since its start from what it has seen before. */
  hasFollowed: z.boolean(),
  /** What it has found about the journal. */
  findings: z.array(z.object({ subject: z.string(), message: z.string() })),
  /** `undefined` as long as it is not known after a start which ones last. */
  alerts: z.array(z.object({ kind: AlertKind, subject: z.string(), message: z.string() })).optional(),
});
export type RelayerReport = z.output<typeof RelayerReport>;

/** The response: the findings that are over, or that an operator has acknowledged. */
export const ReportResponse = z.object({ closed: z.array(z.string()) });

export function newReport(content: RelayerReport): RelayerReport {
  const shortened = <T extends { readonly subject: string; readonly message: string }>(items: readonly T[]): T[] =>
    items
      .filter(({ subject }) => subject.length <= MOST_CHARACTERS)
      .slice(0, MOST_ITEMS)
      .map((item) => ({ ...item, message: item.message.slice(0, MOST_CHARACTERS).toWellFormed() }));
  const head = headOf(content.relayer);
  // The leader takes a report without it for the news that it is over.
  const findings = content.findings.toSorted((a, b) => Number(b.subject === head) - Number(a.subject === head));
  return {
    ...content,
    findings: shortened(findings),
    ...(content.alerts === undefined ? {} : { alerts: shortened(content.alerts) }),
  };
}
