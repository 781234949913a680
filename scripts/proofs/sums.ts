import { createReadStream } from "node:fs";
import { stdin } from "node:process";
import { resolve } from "node:path";
import { BAD_USAGE, CommandFailure } from "../commands/run-command.ts";
import {
  escaped,
  findNamedFiles,
  type Found,
  idOf,
  type FoundFile,
  NOT_UTF8,
  textOf,
  type Unreadable,
} from "./files.ts";
import { reasonOf } from "./reason.ts";

/** Longest line in bytes: a path has 4 KiB, and each byte can be escaped. */
const LONGEST = 16_384;
const LINE_FEED = 10;
const BACKSLASH = 92;

/** A line of `sha256sum`: hash, a space, a space or an asterisk, name. `sha256 -r` has one space. */
const COREUTILS = /^([0-9a-fA-F]{64}) [ *]?([^]+)$/;
/** A line of `sha256sum --tag`, of BSD's `sha256`, or of `openssl dgst`. */
const TAGGED = /^SHA2?-?256 ?\(([^]+)\) ?= ?([0-9a-fA-F]{64})$/;

/**
 * Reads a list of hashes that was made elsewhere, such as SHA256SUMS; the files are not read.
 * @param path `-` for the standard input
 * @throws CommandFailure for a line that is none of such a list
 */
async function readSums(path: string): Promise<Found> {
  const name = path === "-" ? "the standard input" : path;
  const hashes = new Map<string, string>();
  const unreadable: Unreadable[] = [];
  const twice = new Set<string>();
  let number = 0;
  try {
    for await (const line of linesOf(path === "-" ? stdin : createReadStream(path))) {
      number += 1;
      if (line.length > LONGEST) throw new WrongLine(`is longer than ${LONGEST} bytes`);
      if (line.length === 0 || line[0] === 0x23) continue;
      if (line.includes(0)) throw new WrongLine("has a NUL: lists of sha256sum -z are not read");
      const { id, hash } = parseLine(line);
      if (id === undefined) unreadable.push({ id: escaped(line), reason: NOT_UTF8 });
      else if (id === "-") unreadable.push({ id, reason: "has no name: the hash is of a standard input" });
      else if ((hashes.get(id) ?? hash) !== hash) twice.add(id);
      else hashes.set(id, hash);
    }
  } catch (error) {
    if (error instanceof WrongLine) throw new CommandFailure(`${name}:${number}: ${error.message}`, BAD_USAGE);
    throw new CommandFailure(`--sums ${path}: ${reasonOf(error)}`, BAD_USAGE);
  }
  if (hashes.size + unreadable.length + twice.size === 0) throw new CommandFailure(`${name}: no hashes found`);
  for (const id of twice) {
    hashes.delete(id);
    unreadable.push({ id, reason: "is listed twice, with different hashes" });
  }
  const files: FoundFile[] = [];
  for (const [id, hash] of hashes) files.push({ path: resolve(id), id, hash });
  return { files, unreadable };
}

/**
 * Finds the named files, or reads a list of hashes in place of them.
 * @throws CommandFailure unless it is one of both
 */
export async function filesOrSums(names: readonly string[], sums: string | undefined, skip: string): Promise<Found> {
  if (sums === undefined && names.length > 0) return findNamedFiles(names, skip);
  if (sums === undefined || names.length > 0) throw new CommandFailure("give either files or --sums", BAD_USAGE);
  return readSums(sums);
}

class WrongLine extends Error {}

function parseLine(line: Buffer): { id: string | undefined; hash: string } {
  const isEscaped = line[0] === BACKSLASH;
  const bytes = isEscaped ? line.subarray(1) : line;
  // As bytes first: a name in another encoding does not make the line wrong.
  const text = textOf(bytes) ?? bytes.toString("latin1");
  const [, hash, name] = COREUTILS.exec(text) ?? [];
  const [, taggedName, taggedHash] = TAGGED.exec(text) ?? [];
  const [sum, named] = hash === undefined ? [taggedHash, taggedName] : [hash, name];
  if (sum === undefined || named === undefined)
    throw new WrongLine("is not a SHA-256 and a name, as sha256sum or BSD's sha256 writes them");
  const path = isEscaped ? unescaped(named) : named;
  const id = path === "-" ? path : idOf(resolve(path), process.cwd());
  return { id: textOf(bytes) === undefined ? undefined : id, hash: sum.toLowerCase() };
}

function unescaped(name: string): string {
  return name.replace(/\\([^])/g, (_, character: string) => {
    if (character === "n") return "\n";
    if (character === "r") return "\r";
    if (character === "\\") return "\\";
    throw new WrongLine(`has an unknown escape, \\${character}`);
  });
}

/** Splits into lines of bytes, without their ends (LF or CR LF). */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      yield withoutReturn(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    // Its reader refuses it.
    if (rest.length > LONGEST) break;
  }
  if (rest.length > 0) yield withoutReturn(rest);
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === 13 ? line.subarray(0, -1) : line;
}
