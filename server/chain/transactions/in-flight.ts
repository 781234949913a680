import { hexlify } from "ethers";
import { equalBytes } from "../../kit/bytes.ts";
import type { SignedTransaction } from "../transaction.ts";

/** A transaction in flight. Its versions differ in their fee only: whichever is mined is the outcome. */
export interface InFlight {
  readonly id: number;
  readonly nonce: number;
  /** In the order in which they were signed; the last one is sent. */
  readonly versions: SignedTransaction[];
  /** Since when this process waits for a block with the last version, on the clock of `performance.now`. */
  since: number;
  sentAt: number;
  /** When a node took it first; `undefined` before that. */
  takenAt: number | undefined;
  /** Why a node refused the fee of the last version. */
  refusal: "underpriced" | "unfunded" | undefined;
  /** Whether the key has signed its bytes. */
  readonly isOwn: boolean;
  /** Why a node takes no version of it. */
  fault: string | undefined;
}

/** The transactions in flight with one key. */
export class InFlightTransactions {
  readonly #byId = new Map<number, InFlight>();
  readonly #byHash = new Map<string, InFlight>();

  get size(): number {
    return this.#byId.size;
  }

  all(): InFlight[] {
    return [...this.#byId.values()];
  }

  /** @param hash `0x` hex, of any version */
  find(hash: string): InFlight | undefined {
    return this.#byHash.get(hash);
  }

  /** Returns those whose bytes the key has signed. */
  own(): InFlight[] {
    return this.all().filter(({ isOwn }) => isOwn);
  }

  has(id: number): boolean {
    return this.#byId.has(id);
  }

  /** Adds a transaction, or another version of it. */
  add(version: SignedTransaction, sentAt: number, isOwn = true): InFlight {
    const { id, nonce } = version;
    const known = this.#byId.get(id);
    if (known !== undefined && equalBytes(newestOf(known).hash, version.hash)) return known;
    const nothing = { takenAt: undefined, refusal: undefined, fault: undefined };
    const transaction = known ?? { id, nonce, versions: [], since: 0, sentAt, isOwn, ...nothing };
    // The same bytes signed once more become the newest.
    const again = transaction.versions.findIndex(({ hash }) => equalBytes(hash, version.hash));
    if (again !== -1) transaction.versions.splice(again, 1);
    transaction.versions.push(version);
    Object.assign(transaction, { since: performance.now(), sentAt, refusal: undefined });
    this.#byId.set(id, transaction);
    this.#byHash.set(hexlify(version.hash), transaction);
    return transaction;
  }

  /** Notes that a node has a transaction. */
  taken(hash: string): void {
    const transaction = this.#byHash.get(hash);
    if (transaction !== undefined) transaction.takenAt ??= performance.now();
  }

  /** Since when a node has had one of them; `undefined` when none has. */
  get takenSince(): number | undefined {
    const times = Array.from(this.#byId.values(), ({ takenAt }) => takenAt ?? Infinity);
    const oldest = Math.min(...times);
    return oldest === Infinity ? undefined : oldest;
  }

  delete(id: number): void {
    for (const { hash } of this.#byId.get(id)?.versions ?? []) this.#byHash.delete(hexlify(hash));
    this.#byId.delete(id);
  }

  clear(): void {
    this.#byId.clear();
    this.#byHash.clear();
  }
}

/** Groups the versions of transactions, which have to be in the order in which they were signed. */
export function byTransaction(versions: readonly SignedTransaction[]): SignedTransaction[][] {
  return [...Map.groupBy(versions, ({ id }) => id).values()];
}

/** Returns the version that is sent: the last one. */
export function newestOf({ versions }: Pick<InFlight, "versions">): SignedTransaction {
  const newest = versions.at(-1);
  if (newest === undefined) throw new RangeError("a transaction in flight has no version");
  return newest;
}

/** Returns the hashes of all versions, `0x` hex. */
export function hashesOf({ versions }: { readonly versions: readonly SignedTransaction[] }): string[] {
  return versions.map(({ hash }) => hexlify(hash));
}
