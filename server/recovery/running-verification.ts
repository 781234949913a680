import { hash } from "node:crypto";
import { SealbookError } from "../errors.ts";
import type { Issuer } from "../issuer/issuer.ts";
import type { VerifiedEntries } from "../journal/entries/verified-entries.ts";
import type { Clock } from "../kit/time.ts";
import type { ProofCheck } from "../proofs/index.ts";
import type { RetainedVerification } from "./verification-retention.ts";
import {
  type Comparison,
  counted,
  NO_ROWS,
  type RecordedVerification,
  type RecoveryVerification,
  type RestoredDocument,
  RESULT_TYPE,
  resultText,
  type Totals,
} from "./verification.ts";

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

/** State that the groups of one comparison share. */
export interface Run {
  readonly asOf: number | undefined;
  readonly newestEntry: number;
  readonly check: ProofCheck;
  readonly checked: VerifiedEntries;
}

/** A row of a comparison. */
export interface ComparedDocument {
  readonly document: RestoredDocument;
  readonly comparison: Comparison;
}

/** The result of a comparison; it has no id when it is not retained. */
export type ComparisonResult = RecordedVerification | (Omit<RecoveryVerification, "id"> & { readonly id: undefined });

interface RunningVerificationDeps {
  readonly id: string;
  readonly run: Run;
  /** `undefined` when the comparison is not retained. */
  readonly retained: RetainedVerification | undefined;
  readonly compare: (documents: readonly RestoredDocument[]) => Promise<ComparedDocument[]>;
  readonly issuer: Pick<Issuer, "sign">;
  readonly clock: Clock;
}

/** A comparison in progress: accepts rows in groups and returns their results in order. */
export class RunningVerification {
  readonly #deps: RunningVerificationDeps;
  readonly #root = new LogRoot();
  #retained: RetainedVerification | undefined;
  #totals: Totals = NO_ROWS;
  #isContradictory = false;

  constructor(deps: RunningVerificationDeps) {
    this.#deps = deps;
    this.#retained = deps.retained;
  }

  async compare(documents: readonly RestoredDocument[]): Promise<ComparedDocument[]> {
    const compared = await this.#deps.compare(documents);
    // Over the quota, the rest is compared as well.
    if ((await this.#retained?.add(documents.map(({ documentId }) => documentId))) === false) await this.abandon();
    for (const { comparison } of compared) {
      this.#totals = counted(this.#totals, comparison);
      this.#isContradictory ||= comparison.result === "unrecorded" && comparison.isContradictory === true;
    }
    return compared;
  }

  /** Adds the text of a returned row, in the order of the rows: the comparison's root is computed over these texts. */
  addRow(row: string): void {
    this.#root.add(row);
  }

  /** Signs and records the result: nothing else of a comparison is ever signed. */
  async finish(): Promise<ComparisonResult> {
    const { id, run, clock } = this.#deps;
    const { asOf, newestEntry } = run;
    const result = { asOf, newestEntry, finishedAt: clock(), totals: this.#totals, rowsRoot: this.#root.value };
    const retained = this.#retained;
    if (retained === undefined) return { ...result, id: undefined };
    const recorded = await retained.finish({ ...result, id }, await this.#signed({ ...result, id }));
    this.#retained = undefined;
    return recorded;
  }

  /**
   * Returns `undefined` while the issuer signs nothing, and for a comparison with a row about which journal and chain
   * contradict each other: it has its result all the same.
   */
  async #signed(result: RecoveryVerification): Promise<string | undefined> {
    if (this.#isContradictory) return undefined;
    try {
      return await this.#deps.issuer.sign(resultText(result), RESULT_TYPE);
    } catch (error) {
      if (error instanceof SealbookError) return undefined;
      throw error;
    }
  }

  /** Deletes its stored state, unless it is finished. */
  async abandon(): Promise<void> {
    const retained = this.#retained;
    this.#retained = undefined;
    await retained?.abandon();
  }
}
