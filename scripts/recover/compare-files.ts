import { type FileHandle, open } from "node:fs/promises";
import { ClientError, type ComparedDocument, type ProofClient, type RecoveryVerification } from "../../client/index.ts";
import { LogRoot } from "../../server/recovery/running-verification.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import type { RestoredFile } from "./restored-tree.ts";

const LINES_AT_ONCE = 1_000;

/** A file with its hash. */
export interface HashedRestoredFile extends RestoredFile {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
}

/** Options of a comparison. */
export interface CompareOptions {
  readonly client: ProofClient;
  readonly asOf: string | undefined;
  readonly signal: AbortSignal;
  /** File for the unchanged rows of the response. */
  readonly rowsFile: string;
  readonly onRow: (row: ComparedDocument, file: HashedRestoredFile) => void;
}

/**
 * Requests a comparison of files with their records and stores all rows of the response.
 * @throws CommandFailure if the response does not match the request, or its root does not match its rows
 */
export async function compareFiles(
  files: readonly HashedRestoredFile[],
  options: CompareOptions,
): Promise<RecoveryVerification> {
  const kept = await open(options.rowsFile, "w");
  try {
    return await compareInto(kept, files, options);
  } finally {
    await kept.close();
  }
}

async function compareInto(
  kept: FileHandle,
  files: readonly HashedRestoredFile[],
  { client, asOf, signal, onRow }: CompareOptions,
): Promise<RecoveryVerification> {
  const root = new LogRoot();
  let lines: string[] = [];
  let count = 0;
  const keep = async (): Promise<void> => {
    await kept.writeFile(lines.join(""));
    lines = [];
  };
  const rows = client.verifyRestored(documentsOf(files), { asOf, signal });
  let next = await rows.next();
  for (; next.done !== true; next = await rows.next()) {
    const { row, text } = next.value;
    const file = files[count];
    if (file === undefined || row.document_id !== file.documentId || row.hash !== file.hash) throw strange();
    count += 1;
    root.add(text);
    lines.push(`${text}\n`);
    if (lines.length === LINES_AT_ONCE) await keep();
    onRow(row, file);
  }
  await keep();
  if (count !== files.length || Buffer.from(root.value).toString("hex") !== next.value.rows_root) throw strange();
  return next.value;
}

function* documentsOf(files: readonly HashedRestoredFile[]): Generator<{ document_id: string; hash: string }, void> {
  for (const { documentId, hash } of files) yield { document_id: documentId, hash };
}

function strange(): Error {
  return new CommandFailure("the response of the server does not match the request");
}

/** Converts an error of the client to a CommandFailure; returns other errors unchanged. */
export function asCommandFailure(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  return new CommandFailure(error.message, error.code === "malformed" ? 2 : 1);
}
