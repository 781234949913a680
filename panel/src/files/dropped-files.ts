import type { NamedFile } from "./file-queue.ts";

/** The most files that are accepted at once. */
export const MOST_FILES = 10_000;

/** Files that were dropped or chosen. */
export interface Picked {
  readonly files: readonly NamedFile[];
  /** Whether there are more than {@link MOST_FILES}; the others are left out. */
  readonly isTruncated: boolean;
}

/** Returns the files of an input; those of a folder have their path in it. */
export function chosenFiles(files: Iterable<File>): Picked {
  const named = Array.from(files, (file) => ({ name: file.webkitRelativePath || file.name, file }));
  return { files: named.slice(0, MOST_FILES), isTruncated: named.length > MOST_FILES };
}

/**
 * Returns the files of a drop, and those in its folders.
 * @throws An error when a folder cannot be read
 */
export async function droppedFiles(transfer: DataTransfer): Promise<Picked> {
  // Only during the event does the transfer have its entries.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return chosenFiles(transfer.files);
  const files: NamedFile[] = [];
  const waiting = entries;
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    if (entry instanceof FileSystemDirectoryEntry) {
      waiting.unshift(...(await childrenOf(entry)));
      continue;
    }
    if (!(entry instanceof FileSystemFileEntry)) continue;
    if (files.length === MOST_FILES) return { files, isTruncated: true };
    const name = entry.fullPath.replace(/^\//, "");
    files.push({ name, file: await fileOf(entry) });
  }
  return { files, isTruncated: false };
}

async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    // Browsers return a hundred at once; an empty list is the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return children;
    children.push(...some);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
