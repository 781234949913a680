import { type FileHandle, open } from "node:fs/promises";
import { ClientError, type ComparedDocument, type ProofClient, type RecoveryVerification } from "../../client/index.ts";
import { LogRoot } from "../../server/recovery/log-root.ts";
import { CommandFailure } from "../proofs/run-command.ts";
import type { RestoredFile } from "./restored-tree.ts";

const LINES_AT_ONCE = 1_000;

/** A file whose content is known. */
export interface HashedRestoredFile extends RestoredFile {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
}

/** How to compare. */
export interface CompareOptions {
  readonly client: ProofClient;
  readonly asOf: string | undefined;
  readonly signal: AbortSignal;
  /** Where every row is kept as the server told it. */
  readonly rowsFile: string;
  readonly onRow: (row: ComparedDocument, file: HashedRestoredFile) => void;
}

/**
 * Has the server compare files with what was recorded, and keeps every row that it tells.
 * @throws CommandFailure when it answers about something else than it was asked, or its root is not over its rows
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
  const answers = client.verifyRestored(documentsOf(files), { asOf, signal });
  let answer = await answers.next();
  for (; answer.done !== true; answer = await answers.next()) {
    const { row, text } = answer.value;
    const file = files[count];
    if (file === undefined || row.document_id !== file.documentId || row.hash !== file.hash) throw strange();
    count += 1;
    root.add(text);
    lines.push(`${text}\n`);
    if (lines.length === LINES_AT_ONCE) await keep();
    onRow(row, file);
  }
  await keep();
  if (count !== files.length || Buffer.from(root.value).toString("hex") !== answer.value.rows_root) throw strange();
  return answer.value;
}

function* documentsOf(files: readonly HashedRestoredFile[]): Generator<{ document_id: string; hash: string }, void> {
  for (const { documentId, hash } of files) yield { document_id: documentId, hash };
}

function strange(): Error {
  return new CommandFailure("the server answered about something else than it was asked");
}

/** What a failure of the server means for the command; anything else is thrown as it is. */
export function asCommandFailure(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  return new CommandFailure(error.message, error.code === "malformed" ? 2 : 1);
}
