import { statSync } from "node:fs";
import { reasonOf } from "../errors.ts";

/** A file or folder in use that must stay at its path: an open file works on after it is deleted, but is lost. */
export class PinnedPath {
  readonly path: string;
  readonly #neverShrinks: boolean;
  readonly #device: number;
  readonly #inode: number;
  #size: number;

  /**
   * @param options.neverShrinks Whether a smaller size is a fault
   * @throws the error of the file system when there is nothing at the path
   */
  constructor(path: string, { neverShrinks = false }: { readonly neverShrinks?: boolean } = {}) {
    const { dev, ino, size } = statSync(path);
    this.path = path;
    this.#neverShrinks = neverShrinks;
    this.#device = dev;
    this.#inode = ino;
    this.#size = size;
  }

  /** Returns what happened to the file; `undefined` while it is in place. Takes microseconds. */
  fault(): string | undefined {
    try {
      const found = statSync(this.path, { throwIfNoEntry: false });
      if (found === undefined) return `${this.path} was deleted or moved`;
      const { dev, ino, size } = found;
      if (dev !== this.#device || ino !== this.#inode) return `${this.path} was replaced by another file`;
      if (this.#neverShrinks && size < this.#size) return `${this.path} was truncated`;
      this.#size = size;
      return undefined;
    } catch (error) {
      return `${this.path} cannot be found: ${reasonOf(error)}`;
    }
  }
}
