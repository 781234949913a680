import { createHmac, type KeyObject, randomUUID } from "node:crypto";
import * as z from "zod";
import { equalBytes } from "../../kit/bytes.ts";
import { AlertKind } from "../responses.ts";

export const REPORT_PATH = "/relayers/report";

/** Items of a list in a report, and characters of a text: more come with the next reports. */
const MOST_ITEMS = 100;
const MOST_CHARACTERS = 1_000;

/** What a relayer that follows knows and the leader does not. */
export const RelayerReport = z.object({
  relayer: z.string(),
  /** Says which report a response is to. */
  number: z.string(),
  isNodeHealthy: z.boolean(),
  /** Whether it has followed the journal since its start from what it has seen before. */
  hasFollowed: z.boolean(),
  /** What it has found about the journal. */
  findings: z.array(z.object({ subject: z.string(), message: z.string() })),
  alerts: z.array(z.object({ kind: AlertKind, subject: z.string(), message: z.string() })),
});
export type RelayerReport = z.output<typeof RelayerReport>;

/** The response: the findings that are over, or that an operator has acknowledged, and a code of the leader. */
export const ReportResponse = z.object({ closed: z.array(z.string()), code: z.hex() });
export type ReportResponse = z.output<typeof ReportResponse>;

export function newReport(content: Omit<RelayerReport, "number">): RelayerReport {
  const shortened = <T extends { readonly message: string }>(items: readonly T[]): T[] =>
    items.slice(0, MOST_ITEMS).map((item) => ({ ...item, message: item.message.slice(0, MOST_CHARACTERS) }));
  return {
    ...content,
    number: randomUUID(),
    findings: shortened(content.findings),
    alerts: shortened(content.alerts),
  };
}

export function responseTo({ number }: RelayerReport, closed: string[], key: KeyObject): ReportResponse {
  return { closed, code: codeOf(number, closed, key).toString("hex") };
}

/** Returns whether a response is the leader's to a report. */
export function isResponseTo({ number }: RelayerReport, { closed, code }: ReportResponse, key: KeyObject): boolean {
  return equalBytes(Buffer.from(code, "hex"), codeOf(number, closed, key));
}

function codeOf(number: string, closed: readonly string[], key: KeyObject): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["report", number, closed]))
    .digest();
}
