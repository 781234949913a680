import { type FileHandle, open, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { PROOFS_DIRECTORY } from "../proofs/options.ts";
import { findFiles, type FoundFile, idOf, type Unreadable } from "../proofs/files.ts";
import { readManifest } from "./manifest.ts";
import { ClientError, type ComparedDocument, type ProofClient, type RecoveryVerification } from "../../client/index.ts";
import { LogRoot } from "../../server/recovery/running-verification.ts";
import { CommandFailure } from "../commands/run-command.ts";

/** A file to compare. */
interface RestoredFile {
  /** Absolute. */
  readonly path: string;
  /** The POSIX path relative to the tree, or the absolute path outside of it. */
  readonly file: string;
  readonly documentId: string;
}

/** The existing and listed files of a restored tree. */
export interface RestoredTree {
  readonly files: readonly RestoredFile[];
  /** Unreadable files and folders. */
  readonly unreadable: readonly Unreadable[];
  /** Files that the manifest does not list. */
  readonly unlisted: readonly string[];
}

/** Location of the files and source of the document ids. */
interface TreeOptions {
  readonly directory: string;
  /** Path of a manifest; `undefined` if paths are the document ids. */
  readonly manifest: string | undefined;
  /** Prefix of the document ids, before the path. */
  readonly idPrefix: string;
  /** Folder of the reports. */
  readonly out: string;
}

/** Finds the files to compare. Skips the scripts' own output. */
export async function restoredTree({ directory, manifest, idPrefix, out }: TreeOptions): Promise<RestoredTree> {
  const found = await findFiles(["."], directory, out, resolve(directory, PROOFS_DIRECTORY));
  if (manifest === undefined) {
    return {
      ...found,
      files: found.files.map(({ path, id }) => ({ path, file: id, documentId: `${idPrefix}${id}` })),
      unlisted: [],
    };
  }
  // The names on the disk can have another Unicode form than those of the manifest.
  const onDisk = new Map(found.files.map(({ path, id }) => [id, path]));
  const files = (await readManifest(manifest)).map(({ documentId, path }): RestoredFile => {
    const absolute = resolve(directory, path);
    const file = idOf(absolute, directory);
    return { path: onDisk.get(file) ?? absolute, file, documentId };
  });
  const listed = new Set(files.map(({ path }) => path));
  const self = await realpath(manifest);
  const isUnlisted = async ({ path }: FoundFile): Promise<boolean> =>
    !listed.has(path) && (await realpath(path)) !== self;
  const unlisted: string[] = [];
  for (const one of found.files) if (await isUnlisted(one)) unlisted.push(one.id);
  const wanted = new Set(files.map(({ file }) => file));
  // Unreadable files of the manifest are reported when they are hashed.
  return { files, unreadable: found.unreadable.filter(({ id }) => !wanted.has(id)), unlisted };
}

const LINES_AT_ONCE = 1_000;

/** A file with its hash. */
export interface HashedRestoredFile extends RestoredFile {
  /** SHA-256, lower-case hex. */
  readonly hash: string;
}

/** Options of a comparison. */
interface CompareOptions {
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
