import { messageOf } from "../errors/message-of.ts";
import type { NamedFile } from "./file-queue.ts";

/** The most files that are accepted at once. */
export const MOST_FILES = 10_000;

/** Files that were dropped or chosen. */
export interface Picked {
  readonly files: readonly NamedFile[];
  /** Files and folders that the browser cannot open, with the reason. */
  readonly unreadable: readonly { readonly name: string; readonly reason: string }[];
  /** Whether there are more than {@link MOST_FILES}; the others are left out. */
  readonly isTruncated: boolean;
}

/** Returns the files of an input; those of a folder have their path in it. */
export function chosenFiles(files: Iterable<File>): Picked {
  const named = Array.from(files, (file) => ({ name: file.webkitRelativePath || file.name, file }));
  return { files: named.slice(0, MOST_FILES), unreadable: [], isTruncated: named.length > MOST_FILES };
}

/** Returns the files of a drop, and those in its folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<Picked> {
  // Only during the event does the transfer have its entries.
  const waiting = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (waiting.length === 0) return chosenFiles(transfer.files);
  waiting.reverse();
  const files: NamedFile[] = [];
  const unreadable: { name: string; reason: string }[] = [];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    const name = entry.fullPath.replace(/^\//, "");
    if (files.length + unreadable.length >= MOST_FILES) return { files, unreadable, isTruncated: true };
    try {
      if (isDirectory(entry)) {
        for (const child of (await childrenOf(entry)).reverse()) waiting.push(child);
      } else if (isFile(entry)) files.push({ name, file: await fileOf(entry) });
    } catch (error) {
      unreadable.push({ name, reason: messageOf(error) });
    }
  }
  return { files, unreadable, isTruncated: false };
}

/** Returns what a folder has: a little more than can be accepted is enough to say that it is too much. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const children: FileSystemEntry[] = [];
  while (children.length <= MOST_FILES) {
    // Browsers return a hundred at once; an empty list is the end.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    for (const child of some) children.push(child);
  }
  return children;
}

// Browsers do not provide the classes of these by name.
function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
