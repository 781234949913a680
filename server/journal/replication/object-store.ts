/**
 * A store of named files for segments. A file exists completely or not at all. Names are one directory and one file
 * name, or a file name alone.
 */
export interface ObjectStore {
  /** Name for operators. */
  readonly name: string;
  /**
   * Returns the content of a file; `undefined` when there is none.
   * @throws SealbookError `too_large` when it is longer than `limit` bytes
   */
  get(key: string, limit: number): Promise<Buffer | undefined>;
  /**
   * Creates a file that survives a power failure.
   * @returns false when the name exists; that file stays unchanged
   */
  create(key: string, content: Uint8Array): Promise<boolean>;
  /** Removes a file, if it exists. */
  remove(key: string): Promise<void>;
  /** Lists the directories from one name on, in the order of their names. */
  directories(from: string): Promise<string[]>;
  /** Lists the files in a directory, in order; none for a directory that does not exist. */
  files(directory: string): Promise<string[]>;
  /** Closes connections. */
  close(): void;
}
