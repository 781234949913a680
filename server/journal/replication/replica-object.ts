import type { StoredRow } from "../entries/journal-row.ts";
import { DIGEST_LENGTH } from "../integrity/entry-chain.ts";
import { equalBytes, hex } from "../../kit/bytes.ts";

/**
 * An object of a replica: consecutive rows of the journal, as they are in the database. It begins with a line that
 * names the format and the journal, with the code of the name. Each row follows as `first`, `last` and `proofs` (8
 * bytes each, big-endian), `digest` and `code` (32 bytes each), the length of `body` (4 bytes), and `body`. The digest
 * before a row is that of the row before.
 */

const FORMAT = "sealbook-rows/1";
const NUMBER_LENGTH = 8;
const CODE_LENGTH = 32;
const LENGTH_LENGTH = 4;
const HEAD_LENGTH = 3 * NUMBER_LENGTH + DIGEST_LENGTH + CODE_LENGTH + LENGTH_LENGTH;

/** Digits of a number in a name, so that the order of names is the order of numbers. */
const DIGITS = 12;
/** Leading digits that name the directory: at most 100,000 objects share one. */
const DIRECTORY_DIGITS = 7;

/** A fault of a replica. */
export class ReplicaFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ReplicaFault";
  }
}

/** What the name of an object says. */
export interface ObjectName {
  readonly name: string;
  /** Sequence of the first entry. */
  readonly first: number;
  /** Sequence of the last entry. */
  readonly last: number;
  /** Digest of the last entry, in hex. */
  readonly digest: string;
}

/** The journal that an object belongs to. */
export interface ReplicaJournal {
  /** Name of the journal, by which a restore finds its contracts. */
  readonly journal: string;
  /** The authentication code of the name, by the journal's key. */
  readonly nameCode: Uint8Array;
}

/** The content of an object. */
export interface ReplicaObject extends ReplicaJournal {
  readonly rows: readonly StoredRow[];
}

/** Returns the name of an object with rows. */
export function objectName(first: number, { last, digest }: Pick<StoredRow, "last" | "digest">): string {
  return `${nameFrom(first)}-${padded(last)}-${hex(digest)}`;
}

/** Returns the text that the names of objects begin with whose first entry is `first`; it sorts before them. */
export function nameFrom(first: number): string {
  return `${padded(first).slice(0, DIRECTORY_DIGITS)}/${padded(first)}`;
}

/** @returns `undefined` for a name that no object has */
export function parseObjectName(name: string): ObjectName | undefined {
  const [, first = "", last = "", digest = ""] = /^\d{7}\/(\d{12})-(\d{12})-([0-9a-f]{64})$/.exec(name) ?? [];
  const parsed = { name, first: Number(first), last: Number(last), digest };
  return name.startsWith(nameFrom(parsed.first)) && parsed.last >= parsed.first ? parsed : undefined;
}

/** Encodes rows. */
export function encodeRows({ journal, nameCode }: ReplicaJournal, rows: readonly StoredRow[]): Buffer {
  return Buffer.concat([
    Buffer.from(`${FORMAT} ${hex(nameCode)} ${journal}\n`),
    ...rows.flatMap((row) => {
      const numbers = Buffer.alloc(3 * NUMBER_LENGTH);
      for (const [index, number] of [row.first, row.last, row.proofs].entries())
        numbers.writeBigInt64BE(BigInt(number), index * NUMBER_LENGTH);
      const length = Buffer.alloc(LENGTH_LENGTH);
      length.writeUInt32BE(row.body.length);
      return [numbers, row.digest, row.code, length, row.body];
    }),
  ]);
}

/**
 * Decodes an object.
 * @param previous Digest before its first entry
 * @throws ReplicaFault when it is cut off, or is not what its name says
 */
export function decodeRows(
  content: Buffer,
  { name, first, last, digest }: ObjectName,
  previous: Uint8Array,
): ReplicaObject {
  const end = content.indexOf("\n");
  const [format, nameCode = "", ...journal] = content.subarray(0, end).toString().split(" ");
  if (format !== FORMAT) throw new ReplicaFault(`${name} is no object of a replica`);
  const rows: StoredRow[] = [];
  let before = previous;
  for (let at = end + 1; at < content.length;) {
    const bodyAt = at + HEAD_LENGTH;
    const bodyEnd = bodyAt <= content.length ? bodyAt + content.readUInt32BE(bodyAt - LENGTH_LENGTH) : Infinity;
    if (bodyEnd > content.length) throw new ReplicaFault(`${name} is cut off`);
    const number = (index: number): number => Number(content.readBigInt64BE(at + index * NUMBER_LENGTH));
    const digestAt = at + 3 * NUMBER_LENGTH;
    const row: StoredRow = {
      first: number(0),
      last: number(1),
      proofs: number(2),
      previous: before,
      digest: content.subarray(digestAt, digestAt + DIGEST_LENGTH),
      code: content.subarray(digestAt + DIGEST_LENGTH, bodyAt - LENGTH_LENGTH),
      body: content.subarray(bodyAt, bodyEnd),
    };
    rows.push(row);
    before = row.digest;
    at = bodyEnd;
  }
  if (rows[0]?.first !== first || rows.at(-1)?.last !== last || !equalBytes(before, Buffer.from(digest, "hex")))
    throw new ReplicaFault(`${name} has other entries than its name says`);
  return { journal: journal.join(" "), nameCode: Buffer.from(nameCode, "hex"), rows };
}

function padded(number: number): string {
  return String(number).padStart(DIGITS, "0");
}
