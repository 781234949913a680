import type { BlockReference } from "../../chain/block.ts";
import type { AnchorContent } from "../../chain/contracts/anchors.ts";
import { hex } from "../../kit/bytes.ts";
import type { AnchoringTransaction } from "../entries/confirmations.ts";

/** The subject of a divergence of journal, replicas and chain. */
export type Subject =
  | { readonly kind: "confirmation"; readonly sequence: number }
  | { readonly kind: "anchor"; readonly hash: Uint8Array }
  | { readonly kind: "entries" }
  /** The newest journal entry that a relayer has seen. */
  | { readonly kind: "head"; readonly relayer: string }
  | { readonly kind: "index" }
  | { readonly kind: "leaves"; readonly anchor: number }
  | { readonly kind: "replica"; readonly name: string };

/** Subjects that other parts than the regular comparison find: those check themselves whether they agree again. */
const NOT_COMPARED = /^(head|proof|root|replication|transaction) /;

/** Causes that concern the journal's own history. */
export const HISTORY_CAUSES: readonly string[] = ["head", "entries", "index", "leaves", "anchor", "confirmation"];

/** Returns whether the regular comparison finds a subject whenever it diverges. */
export function isCompared(subject: string): boolean {
  return !NOT_COMPARED.test(subject);
}

/**
 * Returns whether an entry of the journal can acknowledge a divergence. A journal that does not continue what a relayer
 * has seen is accepted on that relayer's machine only.
 */
export function isAcknowledgeable(subject: string): boolean {
  return !subject.startsWith("head ");
}

/** A difference that needs an operator, or that is not corrected yet. */
export interface Divergence {
  /** See {@link subjectText}. */
  readonly subject: string;
  readonly message: string;
  /** Unix milliseconds. */
  readonly foundAt: number;
}

/** Returns the text by which an entry acknowledges a divergence. */
export function acknowledgedText({ subject, message }: Pick<Divergence, "subject" | "message">): string {
  return `${subject}: ${message}`;
}

/** Returns the stable name of a subject. */
export function subjectText(subject: Subject): string {
  switch (subject.kind) {
    case "confirmation":
      return `confirmation ${subject.sequence}`;
    case "anchor":
      return `anchor ${hex(subject.hash)}`;
    case "entries":
      return "entries";
    case "head":
      return `head of ${subject.relayer}`;
    case "index":
      return "index";
    case "leaves":
      return `leaves of anchor ${subject.anchor}`;
    case "replica":
      return `replica ${subject.name}`;
  }
}

/** The confirmation of an anchor. */
export interface Confirmation extends AnchorContent {
  readonly sequence: number;
  /** The anchor that references it. */
  readonly anchor: { readonly id: number; readonly hash: Uint8Array };
  /** Whether it confirms that anchor. */
  readonly isOwn: boolean;
  /** The entry of a checkpoint; `undefined` for an anchor of proofs. */
  readonly checkpoint: number | undefined;
  readonly transactionId: number;
  readonly transactionHash: Uint8Array;
  readonly block: BlockReference;
}

/** The state of an anchor in the journal. */
export interface AnchorStanding {
  readonly id: number;
  readonly size: number;
  readonly transactionId: number;
  /** `undefined` before its transaction is signed. */
  readonly transactionHash: Uint8Array | undefined;
  /** Whether its transaction was mined. */
  readonly isMined: boolean;
  readonly isConfirmed: boolean;
}

/** Progress of the comparison. */
export interface ReconciliationProgress {
  /** The newest confirmation that was compared with the chain. */
  readonly confirmation: number;
  /** The newest block whose anchors were compared with the journal. */
  readonly block: { readonly number: number; readonly hash: Uint8Array } | undefined;
  /** End of the last pass, and of the last full pass; Unix milliseconds. */
  readonly passedAt: number | undefined;
  readonly fullPassedAt: number | undefined;
}

/** The store of the comparison. */
export interface ReconciliationStore {
  progress(): Promise<ReconciliationProgress>;
  save(progress: ReconciliationProgress): Promise<void>;
  divergences(): Promise<Divergence[]>;
  /** Returns the numbers of the entries after one by which operators acknowledged divergences. */
  resolutionsAfter(sequence: number): Promise<number[]>;
  /** @returns false when it is open already */
  raise(divergence: Divergence): Promise<boolean>;
  /** @returns false when there was none */
  resolve(subject: string): Promise<boolean>;
  /** Returns current confirmations after an entry, in order. */
  confirmations(after: number, limit: number): Promise<Confirmation[]>;
  /** Returns the newest current confirmations. */
  newestConfirmations(limit: number): Promise<Confirmation[]>;
  /** Returns whether the table of confirmations has an entry as the journal has it. */
  isGenuine(sequence: number): Promise<boolean>;
  /** Records the block of a transaction that the journal has in another block or in none. */
  reconfirm(transactionId: number, mined: AnchoringTransaction): Promise<void>;
  /** Finds an anchor by its hash; closed anchors only. */
  anchor(hash: Uint8Array): Promise<AnchorStanding | undefined>;
}

/** Divergences by their subjects, grouped by cause. */
export class OpenDivergences {
  /** Messages by cause and subject. */
  readonly #byCause = new Map<string, Map<string, string>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  *subjects(): Generator<string> {
    for (const alike of this.#byCause.values()) yield* alike.keys();
  }

  has(subject: string): boolean {
    return this.#byCause.get(causeOf(subject))?.has(subject) === true;
  }

  messageOf(subject: string): string | undefined {
    return this.#byCause.get(causeOf(subject))?.get(subject);
  }

  /** @returns false when it is there already */
  add(subject: string, message: string): boolean {
    if (this.has(subject)) return false;
    const alike = this.#byCause.get(causeOf(subject)) ?? new Map<string, string>();
    this.#byCause.set(causeOf(subject), alike.set(subject, message));
    this.#size += 1;
    return true;
  }

  /** @returns false when it is not there */
  delete(subject: string): boolean {
    if (this.#byCause.get(causeOf(subject))?.delete(subject) !== true) return false;
    this.#size -= 1;
    return true;
  }

  /** Counts those of one cause. */
  countOf(cause: string): number {
    return this.#byCause.get(cause)?.size ?? 0;
  }

  /** Describes those of one cause; `undefined` when there are none. */
  textOf(cause: string): string | undefined {
    const [first] = this.#byCause.get(cause)?.values() ?? [];
    const count = this.countOf(cause);
    return count > 1 ? `${count.toLocaleString("en")} divergences of ${cause}; the first: ${first}` : first;
  }
}

/** Returns the kind of a subject, its first word. All divergences of one cause have one alert. */
export function causeOf(subject: string): string {
  return /^[a-z]+/.exec(subject)?.[0] ?? subject;
}
