import { open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { encodeFrame, type BlockEntry } from "./block-entry.ts";
import { entryFollows, readFrames } from "./block-log-reader.ts";
import { syncDirectory } from "../../kit/durable-file.ts";
import { PinnedPath } from "../../kit/pinned-path.ts";
import { SealbookError } from "../../errors.ts";

const FILE_HEADER = Buffer.from("SBCHAIN1", "latin1");

/**
 * The blocks of the chain on disk: a sequence of checksummed entries in an append-only file. An entry is valid once
 * {@link BlockLog.append} has returned; the rest of an unfinished append after a crash is cut off when the log is
 * opened again.
 */
export class BlockLog {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #place: PinnedPath;
  /** Offset of the entry of block n + 1. */
  readonly #starts: number[] = [];
  #size = FILE_HEADER.length;
  #last: BlockEntry | null = null;
  /** Bytes cut off at opening. */
  #cut = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
    this.#place = new PinnedPath(path);
  }

  /** Opens or creates the log, checks every entry and cuts off an unfinished last one. */
  static async open(path: string): Promise<BlockLog> {
    const handle = await open(path, "a+").then(async (created) => {
      await created.close();
      return open(path, "r+");
    });
    const log = new BlockLog(path, handle);
    try {
      await log.#load();
    } catch (error) {
      await handle.close();
      throw error;
    }
    return log;
  }

  /** The newest block, or null when only the genesis block exists. */
  get last(): BlockEntry | null {
    return this.#last;
  }

  /** Returns the bytes of an unfinished entry that were cut off when the log was opened. */
  get cutBytes(): number {
    return this.#cut;
  }

  /**
   * Appends a block and returns when it is on disk. After an error the log must be reopened.
   * @throws SealbookError `directory_unusable` when the log is not at its path any more
   */
  async append(entry: BlockEntry): Promise<void> {
    const frame = encodeFrame(entry);
    for (let done = 0; done < frame.length;) {
      done += (await this.#handle.write(frame, done, frame.length - done, this.#size + done)).bytesWritten;
    }
    await this.#handle.datasync();
    // A deleted file can still be written to, but is lost at the end of the process.
    const fault = this.#place.fault();
    if (fault !== undefined) throw new SealbookError("directory_unusable", `The block log is lost: ${fault}.`);
    this.#starts.push(this.#size);
    this.#size += frame.length;
    this.#last = entry;
  }

  /** Yields the blocks from a number on. */
  async *entries(from: number): AsyncGenerator<BlockEntry, void, void> {
    const start = this.#starts[from - 1];
    if (start === undefined) return;
    for await (const frame of readFrames(this.#handle, start, this.#size)) yield frame.entry;
  }

  /** Returns the hash of a block; `undefined` for one that is not in the log, such as the genesis block. */
  async hashOf(blockNumber: number): Promise<string | undefined> {
    for await (const entry of this.entries(blockNumber)) return entry.hash;
    return undefined;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #load(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size >= FILE_HEADER.length) {
      await this.#checkFileHeader();
      await this.#scan(size);
    }
    if (size !== this.#size) {
      this.#cut = Math.max(0, size - this.#size);
      await this.#handle.truncate(this.#size);
      await this.#handle.write(FILE_HEADER, 0, FILE_HEADER.length, 0);
    }
    // Also without a cut: the last entry may be of an append whose sync failed.
    await this.#handle.sync();
    await syncDirectory(dirname(this.#path));
  }

  async #checkFileHeader(): Promise<void> {
    const header = Buffer.alloc(FILE_HEADER.length);
    await this.#handle.read(header, 0, header.length, 0);
    if (!header.equals(FILE_HEADER)) throw new SealbookError("block_log_damaged", `${this.#path} is not a block log.`);
  }

  async #scan(size: number): Promise<void> {
    for await (const { entry, start, end } of readFrames(this.#handle, this.#size, size)) {
      if (entry.number !== this.#starts.length + 1) {
        throw new SealbookError(
          "block_log_damaged",
          `${this.#path}: block ${entry.number} stands where block ${this.#starts.length + 1} belongs.`,
        );
      }
      this.#starts.push(start);
      this.#size = end;
      this.#last = entry;
    }
    if (await entryFollows(this.#handle, this.#size, size)) {
      throw new SealbookError(
        "block_log_damaged",
        `${this.#path} is damaged after block ${this.#starts.length} (byte ${this.#size}), ` +
          "and blocks follow it. Restore the folder from a backup.",
      );
    }
  }
}
