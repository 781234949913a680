import {
  blockReport,
  type Code,
  conclusion,
  type Outcome,
  printable,
  trustReport,
  verifyBundle,
  type VerifyOptions,
} from "../../verifier/verify.mjs";
import { findBundle, readBundle } from "./bundle-file.ts";
import { type Found, contentOf, type FoundFile } from "./files.ts";
import { forEachConcurrently, showProgress } from "./file-run.ts";
import { reasonOf } from "./reason.ts";

/** Codes of files that the verifier does not come to. */
type FileCode = "no_bundle" | "file_unreadable" | "other_document";

/** Result of a file. */
interface Verdict {
  readonly file: string;
  readonly outcome: Outcome;
  /** Why it is not verified: the verifier's code, or one of a file. */
  readonly code: Code | FileCode | null;
  /** The verifier's conclusion, or the reason if the file is not verified. */
  readonly reason: string;
  readonly bytes?: number;
  readonly hash?: string;
  readonly document_id?: string;
  readonly block?: ReturnType<typeof blockReport>;
  /** Time of the block, UTC. */
  readonly block_time?: string;
}

/** Results of a run. */
export interface VerifyReport {
  readonly format: "sealbook-verification/3";
  readonly outcome: Outcome;
  readonly seconds: number;
  readonly totals: { readonly files: number; readonly bytes: number } & Readonly<Record<Outcome, number>>;
  readonly trusted: ReturnType<typeof trustReport>;
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
  const results: Verdict[] = found.unreadable.map(({ id, reason }) => unreadable(id, reason));
  const progress = showProgress("verifying", found.files.length);
  try {
    await forEachConcurrently(found.files, settings.concurrency, async (file) => {
      results.push(await verifyFile(file, settings));
      progress.tick();
    });
  } finally {
    progress.stop();
  }
  const counts: Record<Outcome, number> = { verified: 0, not_verified: 0, undetermined: 0 };
  for (const { outcome } of results) counts[outcome] += 1;
  return {
    format: "sealbook-verification/3",
    outcome: counts.not_verified > 0 ? "not_verified" : counts.undetermined > 0 ? "undetermined" : "verified",
    seconds: (performance.now() - start) / 1000,
    totals: { files: results.length, bytes: results.reduce((sum, { bytes = 0 }) => sum + bytes, 0), ...counts },
    trusted: trustReport(settings.trust),
    results: results.sort((a, b) => (a.file < b.file ? -1 : 1)),
  };
}

function unreadable(file: string, reason: string): Verdict {
  return { file, outcome: "undetermined", code: "file_unreadable", reason };
}

async function verifyFile(found: FoundFile, settings: VerifySettings): Promise<Verdict> {
  const { id: file } = found;
  const { directory, trust, anyId, idPrefix } = settings;
  try {
    const hashed = await contentOf(found);
    const bundle = await readBundle(await findBundle(directory, file));
    if (bundle === undefined) {
      const reason = "there is no bundle of it; run prove";
      return { file, outcome: "undetermined", code: "no_bundle", reason, ...hashed };
    }
    const { content, record } = bundle;
    const about = { ...hashed, ...(record === undefined ? {} : { document_id: record.document_id }) };
    if (!anyId && record !== undefined && !isDocumentOf(record.document_id, file, idPrefix)) {
      const reason = `the bundle is of a different document, ${JSON.stringify(record.document_id)}`;
      return { file, outcome: "not_verified", code: "other_document", reason, ...about };
    }
    const verified = await verifyBundle(content, hashed.hash, trust);
    if (verified.ok) {
      const { outcome, block } = verified;
      const proven = { block: blockReport(block), block_time: block.time };
      return { file, outcome, code: null, reason: conclusion(verified), ...about, ...proven };
    }
    const { outcome, code, steps } = verified;
    return { file, outcome, code, reason: reasonIn(steps), ...about };
  } catch (error) {
    return unreadable(file, reasonOf(error));
  }
}

function reasonIn(steps: Awaited<ReturnType<typeof verifyBundle>>["steps"]): string {
  const failed = steps.at(-1);
  if (failed === undefined || failed.ok) throw new Error("the verifier gives no reason");
  return failed.code === "document_differs"
    ? "the document differs from the proved one"
    : `${failed.title}: ${failed.reason}`;
}

/** Returns whether a document is that of a file, which can have been proved from a folder above. */
function isDocumentOf(documentId: string, file: string, idPrefix: string): boolean {
  const [id, name] = [documentId.normalize("NFC"), file.normalize("NFC")];
  return id === `${idPrefix}${name}` || id.endsWith(`/${name}`);
}

/**
 * Formats the report as lines: each file with its proven time or the reason, what was trusted, and the totals.
 * @param isQuiet Omits verified files
 */
export function* reportLines({ totals, trusted, results, seconds }: VerifyReport, isQuiet: boolean): Generator<string> {
  for (const result of results) if (!isQuiet || result.outcome !== "verified") yield lineOf(result);
  yield `Trusted: ${trustText(trusted)}\n`;
  const rate = seconds > 0 ? totals.files / seconds : 0;
  yield (
    `${totals.verified} of ${totals.files} files verified (${totals.not_verified} not verified, ` +
    `${totals.undetermined} undetermined), ${totals.bytes} bytes, ${seconds.toFixed(1)} s, ${rate.toFixed(0)} files/s\n`
  );
}

function lineOf({ file, outcome, reason, block, block_time: time }: Verdict): string {
  const what =
    block === undefined || time === undefined
      ? printable(reason)
      : `existed at ${time} (block ${block.number} of chain ${block.chain_id})`;
  return `${outcome.replace("_", " ")}: ${printable(file)}: ${what}\n`;
}

function trustText({ key_id: keyId, validators, node }: VerifyReport["trusted"]): string {
  return [
    ...(keyId === null ? [] : [`the issuer's key ${keyId}`]),
    ...(validators === null ? [] : [`the given list of ${validators.length} validators`]),
    ...(node ? ["the node"] : []),
  ].join(", ");
}
