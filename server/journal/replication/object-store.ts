/** A store of named objects outside of this machine. An object exists completely or not at all, and never changes. */
export interface ObjectStore {
  /** Name for operators; contains no secrets. */
  readonly name: string;
  /** Lists the names after one, in order. */
  list(after: string): AsyncIterable<string>;
  /** Returns an object; `undefined` when there is none, or when it is longer than `limit` bytes. */
  get(name: string, limit: number): Promise<Buffer | undefined>;
  /** Stores an object, which survives a power failure. One that exists under the name stays as it is. */
  put(name: string, content: Uint8Array): Promise<void>;
}
