import { conclusion, printable, verifyBundle, type VerifyOptions } from "../../verifier/verify.mjs";
import { findBundle, readBundle } from "./bundle-file.ts";
import { type Found, type FoundFile, hashFile } from "./files.ts";
import { forEachConcurrently, showProgress } from "./file-run.ts";
import { reasonOf } from "./reason.ts";

/** Possible results. */
const RESULTS = ["verified", "changed", "no_bundle", "invalid", "not_checked"] as const;

type Result = (typeof RESULTS)[number];

/** Result of a file. */
interface Verdict {
  readonly file: string;
  readonly result: Result;
  /** The verifier's conclusion, or the reason if the file is not verified. */
  readonly reason: string;
  readonly bytes?: number;
  readonly hash?: string;
  readonly document_id?: string;
  readonly block_number?: number;
  /** Time of the block, UTC. */
  readonly block_time?: string;
}

/** Results of a run. */
export interface VerifyReport {
  readonly format: "sealbook-verification/2";
  readonly seconds: number;
  readonly totals: { readonly files: number; readonly bytes: number } & Readonly<Record<Result, number>>;
  readonly results: readonly Verdict[];
}

/** Settings of a run. */
export interface VerifySettings {
  /** The folder of bundles. */
  readonly directory: string;
  /** What the verifier trusts. */
  readonly trust: VerifyOptions;
  /** Whether to accept bundles with a different document id. */
  readonly anyId: boolean;
  /** Prefix of the document ids, before the path; folders before the path need none. */
  readonly idPrefix: string;
  readonly concurrency: number;
}

/** Verifies files against their bundles. */
export async function verifyFiles(found: Found, settings: VerifySettings): Promise<VerifyReport> {
  const start = performance.now();
  const results: Verdict[] = found.unreadable.map(({ id, reason }) => ({ file: id, result: "not_checked", reason }));
  const progress = showProgress("verifying", found.files.length);
  try {
    await forEachConcurrently(found.files, settings.concurrency, async (file) => {
      results.push(await verifyFile(file, settings));
      progress.tick();
    });
  } finally {
    progress.stop();
  }
  const counts: Record<Result, number> = { verified: 0, changed: 0, no_bundle: 0, invalid: 0, not_checked: 0 };
  for (const { result } of results) counts[result] += 1;
  return {
    format: "sealbook-verification/2",
    seconds: (performance.now() - start) / 1000,
    totals: { files: results.length, bytes: results.reduce((sum, { bytes = 0 }) => sum + bytes, 0), ...counts },
    results: results.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}

async function verifyFile({ path, id: file }: FoundFile, settings: VerifySettings): Promise<Verdict> {
  const { directory, trust, anyId, idPrefix } = settings;
  try {
    const hashed = await hashFile(path);
    const bundle = await readBundle(await findBundle(directory, file));
    if (bundle === undefined)
      return { file, result: "no_bundle", reason: "there is no bundle of it; run prove", ...hashed };
    const { content, record } = bundle;
    const about = { ...hashed, ...(record === undefined ? {} : { document_id: record.document_id }) };
    if (!anyId && record !== undefined && !isDocumentOf(record.document_id, file, idPrefix)) {
      const reason = `the bundle is of a different document, ${JSON.stringify(record.document_id)}`;
      return { file, result: "changed", reason, ...about };
    }
    const { options, nodeError } = noticingErrors(trust);
    const verified = await verifyBundle(content, hashed.hash, options);
    if (verified.ok) {
      const { number, time } = verified.block;
      const reason = conclusion(verified);
      return { file, result: "verified", reason, ...about, block_number: Number(number), block_time: time };
    }
    const failed = verified.steps.find(({ ok }) => !ok);
    if (failed === undefined || failed.ok) throw new Error("the verifier gives no reason");
    const { title, reason } = failed;
    if (title === "Document")
      return { file, result: "changed", reason: "the document differs from the proved one", ...about };
    const failure = nodeError();
    return failure === undefined
      ? { file, result: "invalid", reason: `${title}: ${reason}`, ...about }
      : { file, result: "not_checked", reason: `not checked against the chain: ${reasonOf(failure)}`, ...about };
  } catch (error) {
    return { file, result: "not_checked", reason: reasonOf(error) };
  }
}

/** Returns whether a document is that of a file, which can have been proved from a folder above. */
function isDocumentOf(documentId: string, file: string, idPrefix: string): boolean {
  const [id, name] = [documentId.normalize("NFC"), file.normalize("NFC")];
  return id === `${idPrefix}${name}` || id.endsWith(`/${name}`);
}

/** Notes the errors of the node: such an error says nothing about the bundle, unlike a block that the node lacks. */
function noticingErrors(trust: VerifyOptions): { options: VerifyOptions; nodeError: () => unknown } {
  const { node } = trust;
  if (node === undefined) return { options: trust, nodeError: () => undefined };
  let nodeError: unknown;
  const noticing: typeof node = (method, parameters) =>
    node(method, parameters).catch((error: unknown) => {
      nodeError = error;
      throw error;
    });
  return { options: { ...trust, node: noticing }, nodeError: () => nodeError };
}

/** Formats the report: all files that are not verified, and the totals. */
export function reportText({ totals, results, seconds }: VerifyReport): string {
  const faults = results.filter(({ result }) => result !== "verified");
  const lines = faults.map(({ file, result, reason }) => `${label(result)}: ${printable(file)}: ${printable(reason)}`);
  const counts = RESULTS.slice(1).map((result) => `${totals[result]} ${label(result)}`);
  const rate = seconds > 0 ? totals.files / seconds : 0;
  return [
    ...lines,
    `${totals.verified} of ${totals.files} files verified (${counts.join(", ")}), ` +
      `${totals.bytes} bytes, ${seconds.toFixed(1)} s, ${rate.toFixed(0)} files/s`,
  ].join("\n");
}

export function isAllVerified({ totals }: VerifyReport): boolean {
  return totals.verified === totals.files;
}

function label(result: Result): string {
  return result.replace("_", " ");
}
