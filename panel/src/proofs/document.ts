/** A file with its hash. */
export interface Document {
  readonly name: string;
  readonly size: number;
  /** SHA-256, in hex. */
  readonly hash: string;
}
