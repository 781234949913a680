import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RecordedDocument, ProofClient } from "../../client/index.ts";
import { withRetry } from "../../client/retry.ts";
import { hashFile } from "../proofs/files.ts";
import { forEachConcurrently, showProgress } from "../proofs/file-run.ts";
import { reasonOf } from "../proofs/reason.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { compareFiles, type HashedRestoredFile, type RestoredTree } from "./compare-files.ts";
import type { Mismatch, Missing, NotChecked, Pending, RecoveryReport, Unrecorded } from "./recovery-report.ts";

const RETRY_FOR_MILLISECONDS = 60_000;
/** The unchanged rows of the response. */
const ROWS_FILE = "recovery-rows.ndjson";

const NOT_KEPT =
  "the server compares the files but does not keep the comparison, so that missing documents cannot be listed; use a " +
  "key or token with the scope `write`, or verify fewer documents at once";

/** A run over a restored tree. */
export interface RecoverRun {
  readonly tree: RestoredTree;
  readonly client: ProofClient;
  readonly asOf: string | undefined;
  readonly concurrency: number;
  /** Folder of the reports. */
  readonly out: string;
  readonly about: Pick<RecoveryReport, "server" | "directory" | "id_from" | "id_prefix">;
  readonly signal: AbortSignal;
}

/**
 * Compares a restored tree with its records.
 * @throws The abort reason of the signal
 */
export async function recoverAll({
  tree,
  client,
  asOf,
  concurrency,
  out,
  about,
  signal,
}: RecoverRun): Promise<RecoveryReport> {
  const started = new Date();
  const notChecked: NotChecked[] = tree.unreadable.map(({ id, reason }) => ({ file: id, reason }));
  const { files, bytes } = await hashAll(tree, concurrency, signal, notChecked);
  if (files.length === 0) throw new CommandFailure("none of the files could be read");
  await mkdir(out, { recursive: true });
  // A retry starts from the beginning, because the rows of an interrupted response are repeated.
  const { verification, mismatches, unrecorded, pending } = await withRetry(
    () => compareAll(files, { client, asOf, out, signal }),
    {
      retryForMilliseconds: RETRY_FOR_MILLISECONDS,
      signal,
    },
  );
  const { verification_id } = verification;
  if (verification_id === null) throw new CommandFailure(NOT_KEPT);
  const missing = await missingFrom(client.gap(verification_id, { signal }), about.id_prefix);
  const { match, mismatch } = verification.totals;
  const total = files.length + notChecked.length;
  return {
    format: "sealbook-recovery/1",
    all_matched: match === total && missing.length + tree.unlisted.length === 0,
    ...about,
    started: started.toISOString(),
    seconds: (Date.now() - started.getTime()) / 1000,
    as_of: verification.as_of,
    verification_id,
    finished_at: verification.finished_at,
    rows_root: verification.rows_root,
    rows_file: ROWS_FILE,
    totals: {
      files: total,
      bytes,
      match,
      mismatch,
      unrecorded: unrecorded.length,
      pending: pending.length,
      missing: missing.length,
      not_checked: notChecked.length,
      unlisted: tree.unlisted.length,
    },
    mismatches,
    unrecorded,
    pending,
    missing: withNewNames(missing, unrecorded),
    not_checked: notChecked.sort((a, b) => (a.file < b.file ? -1 : 1)),
    unlisted: tree.unlisted,
  };
}

async function hashAll(
  { files }: RestoredTree,
  concurrency: number,
  signal: AbortSignal,
  notChecked: NotChecked[],
): Promise<{ files: HashedRestoredFile[]; bytes: number }> {
  const hashed: (HashedRestoredFile | undefined)[] = [];
  let bytes = 0;
  const progress = showProgress("hashing", files.length);
  const work = async (one: (typeof files)[number], index: number): Promise<void> => {
    try {
      const content = await hashFile(one.path, signal);
      hashed[index] = { ...one, hash: content.hash };
      bytes += content.bytes;
    } catch (error) {
      signal.throwIfAborted();
      notChecked.push({ file: one.file, document_id: one.documentId, reason: reasonOf(error) });
    }
    progress.tick();
  };
  try {
    await forEachConcurrently([...files.entries()], concurrency, ([index, one]) => work(one, index), signal);
  } finally {
    progress.stop();
  }
  signal.throwIfAborted();
  return { files: hashed.filter((one) => one !== undefined), bytes };
}

async function compareAll(
  files: readonly HashedRestoredFile[],
  { out, ...options }: Pick<RecoverRun, "client" | "asOf" | "out" | "signal">,
) {
  const mismatches: Mismatch[] = [];
  const unrecorded: Unrecorded[] = [];
  const pending: Pending[] = [];
  const progress = showProgress("comparing", files.length);
  try {
    const verification = await compareFiles(files, {
      ...options,
      rowsFile: join(out, ROWS_FILE),
      onRow(row, { file }) {
        progress.tick();
        if (row.result === "mismatch") mismatches.push({ file, ...row });
        else if (row.result === "unrecorded") unrecorded.push({ file, ...row });
        else if (row.result === "pending") pending.push({ file, ...row });
      },
    });
    return { verification, mismatches, unrecorded, pending };
  } finally {
    progress.stop();
  }
}

/** Adds the files with the content of missing documents. */
function withNewNames(missing: readonly RecordedDocument[], unrecorded: readonly Unrecorded[]): Missing[] {
  const names = new Map<string, string[]>();
  for (const { file, recorded_as = [] } of unrecorded) {
    for (const documentId of recorded_as) names.set(documentId, [...(names.get(documentId) ?? []), file]);
  }
  return missing.map((document) => {
    const found_as = names.get(document.document_id);
    return found_as === undefined ? document : { ...document, found_as };
  });
}

/** Collects the missing documents. With a prefix, documents without it are not part of the tree. */
async function missingFrom<T extends { readonly document_id: string }>(
  gap: AsyncIterable<T>,
  prefix: string,
): Promise<readonly T[]> {
  const missing: T[] = [];
  for await (const document of gap) if (document.document_id.startsWith(prefix)) missing.push(document);
  return missing;
}
