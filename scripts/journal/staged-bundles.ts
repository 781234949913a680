import { opendir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Bundle } from "../../server/proofs/responses.ts";

const NAME = /\.bundle(\.\d+)?\.json$/;
/** A bundle has some ten kilobytes; a longer file is none. */
const MAX_BYTES = 1024 * 1024;

/**
 * Yields the named files and, recursively, the bundles in the named folders, one at a time. Does not follow symbolic
 * links in folders.
 */
export async function* bundleFiles(names: readonly string[]): AsyncGenerator<string> {
  for (const name of names) {
    if ((await stat(name)).isDirectory()) yield* inFolder(name);
    else yield name;
  }
}

async function* inFolder(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* inFolder(path);
    else if (entry.isFile() && NAME.test(entry.name)) yield path;
  }
}

/** Reads a bundle. @throws when the file cannot be read or is too long */
export async function readBundleText(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_BYTES) throw new Error(`is longer than ${MAX_BYTES} bytes`);
  return readFile(file, "utf8");
}

/** A verified bundle, as far as the journal needs it. */
export interface StagedBundle {
  readonly file: string;
  /** Root, or the recorded hash that was anchored alone; hex. */
  readonly anchor: string;
  /** Leaves under the root; 0 for a hash that was anchored alone. */
  readonly size: number;
  readonly leaf: number;
  readonly blockHash: string;
  readonly record: Bundle["record"];
}

/** Collects verified bundles by anchor, in a temporary database on disk: there may be many. */
export class StagedBundles {
  readonly #database = new DatabaseSync("");

  constructor() {
    this.#database.exec(`
      create table bundles (anchor text, size integer, leaf integer, file text, block_hash text, record text);
      create unique index by_anchor on bundles (anchor, size, leaf, block_hash, record);
      begin;
    `);
  }

  /** @returns false when another file had the same proof */
  add({ anchor, size, leaf, file, blockHash, record }: StagedBundle): boolean {
    const { changes } = this.#database
      .prepare("insert or ignore into bundles values (?, ?, ?, ?, ?, ?)")
      .run(anchor, size, leaf, file, blockHash, JSON.stringify(record));
    return changes > 0;
  }

  /** Yields the bundles of each anchor, by leaf index. */
  *byAnchor(): Generator<StagedBundle[]> {
    const anchors = this.#database.prepare("select distinct anchor, size from bundles order by anchor, size");
    const rows = this.#database.prepare("select * from bundles where anchor = ? and size = ? order by leaf, file");
    for (const { anchor, size } of anchors.iterate()) {
      yield rows.all(String(anchor), Number(size)).map((row) => ({
        file: String(row["file"]),
        anchor: String(anchor),
        size: Number(size),
        leaf: Number(row["leaf"]),
        blockHash: String(row["block_hash"]),
        // Written by this class from a checked bundle.
        record: JSON.parse(String(row["record"])),
      }));
    }
  }

  close(): void {
    this.#database.close();
  }
}
