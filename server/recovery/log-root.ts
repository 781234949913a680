import { hash } from "node:crypto";

/**
 * Computes the Merkle tree hash of RFC 6962, section 2.1, over a list of any length: a leaf is SHA-256 of a zero byte
 * and the text, a node SHA-256 of a one byte and its two children. Stores only the roots of complete subtrees.
 */
export class LogRoot {
  /** Roots of complete subtrees from left to right, each with its height. */
  readonly #roots: { height: number; hash: Uint8Array }[] = [];

  add(text: string): void {
    let node = { height: 0, hash: sha256(LEAF, Buffer.from(text)) };
    for (let left = this.#roots.at(-1); left?.height === node.height; left = this.#roots.at(-1)) {
      this.#roots.pop();
      node = { height: node.height + 1, hash: sha256(NODE, left.hash, node.hash) };
    }
    this.#roots.push(node);
  }

  /** Root over the added leaves; the SHA-256 of the empty string when there are none. */
  get value(): Uint8Array {
    const [last, ...others] = this.#roots.toReversed();
    if (last === undefined) return sha256();
    return others.reduce((right, left) => sha256(NODE, left.hash, right), last.hash);
  }
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return hash("sha256", Buffer.concat(parts), "buffer");
}
