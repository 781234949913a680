/**
 * A place for files under names, as segments need it. A file is there whole or not at all. Names are one directory and
 * one file name, or a file name alone.
 */
export interface ObjectStore {
  /** What operators call it. */
  readonly name: string;
  /**
   * The content of a file; `undefined` when there is none.
   * @throws SealbookError `too_large` when it is longer than `limit` bytes
   */
  get(key: string, limit: number): Promise<Buffer | undefined>;
  /**
   * Makes a file that survives a power cut.
   * @returns false when there is one of that name; it stays as it is
   */
  create(key: string, content: Uint8Array): Promise<boolean>;
  /** Removes a file, if it is there. */
  remove(key: string): Promise<void>;
  /** The directories from one name on, in the order of their names. */
  directories(from: string): Promise<string[]>;
  /** The names of the files in a directory, in order; none for a directory that does not exist. */
  files(directory: string): Promise<string[]>;
  /** Lets go of connections. */
  close(): void;
}
