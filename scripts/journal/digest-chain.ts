import {
  isLinkOf,
  type JournalHead,
  type JournalLine,
  nextDigest,
  wholeDigest,
} from "../../server/journal/integrity/entry-chain.ts";
import type { Finding, EntryRange, Subject } from "./finding.ts";

/** A line with the stored part of its digest. */
export interface ChainedLine extends JournalLine {
  readonly subject: Subject;
  /** The whole digest, or the first bytes of a proof's digest. */
  readonly link: Uint8Array;
}

/** An entry whose contents do not give its digest. */
interface Changed {
  readonly kind: "entry_changed";
  readonly sequence: number;
  readonly subject: Subject;
}

/** Missing entries. */
interface Missing {
  readonly kind: "entry_missing";
  readonly sequence: number;
  readonly last: number;
}

/**
 * Follows the chain of digests from entry to entry and finds breaks. Only the first bytes of most digests are stored:
 * after a break the check continues at the next whole stored digest and reports the entries in between as unverifiable.
 * Each break is reported once its kind is determined, which can be some entries later.
 */
export class DigestChain {
  readonly #report: (finding: Finding) => void;
  #at: number;
  /** Unknown after a break. */
  #digest: Uint8Array | undefined;
  /** Digest before the newest entry. */
  #before: Uint8Array | undefined;
  #subject: Subject | undefined;
  #break: Changed | Missing | undefined;
  /** Digests from which the entry after a changed entry may continue. */
  #trials: { readonly computed: Uint8Array; readonly stored: Uint8Array | undefined } | undefined;

  constructor(start: JournalHead, report: (finding: Finding) => void) {
    this.#at = start.sequence;
    this.#digest = start.digest;
    this.#report = report;
  }

  /** The newest processed entry. */
  get at(): number {
    return this.#at;
  }

  /** Digest up to that entry; `undefined` while it is unknown. */
  get digest(): Uint8Array | undefined {
    return this.#digest;
  }

  /** The entry of a break without a known continuation: that entry and all later ones are suspect. */
  get brokenAt(): number | undefined {
    return this.#break?.sequence;
  }

  /** Processes the next entry; entries arrive in order. */
  next(line: ChainedLine): void {
    if (line.sequence === this.#at) return this.#again(line);
    if (line.sequence > this.#at + 1) this.#gap(line.sequence - 1);
    if (this.#trials !== undefined && this.#goOn(line)) return;
    const { digest } = this;
    if (digest === undefined) {
      const whole = wholeDigest(line.subject.kind, line.link);
      if (whole !== undefined) this.#reportBreak(line.sequence);
      return this.#advance(line, whole);
    }
    const computed = nextDigest(digest, line.text);
    if (isLinkOf(computed, line.subject.kind, line.link)) return this.#advance(line, computed);
    this.#break = { kind: "entry_changed", sequence: line.sequence, subject: line.subject };
    this.#trials = { computed, stored: wholeDigest(line.subject.kind, line.link) };
    this.#advance(line, undefined);
  }

  /** Compares with the head, which stores the newest digest whole. */
  end(head: JournalHead): void {
    if (head.sequence > this.#at) this.#gap(head.sequence);
    const trials = this.#trials;
    const digest = this.#digest ?? trials?.computed;
    if (digest === undefined) return this.#reportBreak(head.sequence);
    const isSame = Buffer.compare(digest, head.digest) === 0;
    if (this.#break === undefined) {
      if (!isSame) this.#report({ kind: "head_changed", sequence: head.sequence });
    } else if (isSame) {
      this.#onlyDigest();
    } else if (trials?.stored !== undefined && Buffer.compare(trials.stored, head.digest) !== 0) {
      this.#reportBreak(this.#at);
      this.#report({ kind: "head_changed", sequence: head.sequence });
    } else {
      this.#reportBreak(this.#at);
    }
  }

  /**
   * Processes the entry after a changed one: determines whether it continues from the computed or from the stored
   * digest.
   */
  #goOn(line: ChainedLine): boolean {
    const { computed, stored } = this.#trials ?? {};
    this.#trials = undefined;
    if (computed !== undefined) {
      const next = nextDigest(computed, line.text);
      if (isLinkOf(next, line.subject.kind, line.link)) {
        this.#onlyDigest();
        this.#digest = computed;
        this.#advance(line, next);
        return true;
      }
    }
    if (stored !== undefined) {
      this.#reportBreak(this.#at);
      this.#digest = stored;
    }
    return false;
  }

  #onlyDigest(): void {
    const found = this.#break;
    if (found?.kind === "entry_changed") this.#report({ ...found, kind: "digest_changed" });
    this.#break = undefined;
    this.#trials = undefined;
  }

  #gap(last: number): void {
    this.#reportBreak(this.#at);
    this.#break = { kind: "entry_missing", sequence: this.#at + 1, last };
    this.#digest = undefined;
    this.#at = last;
  }

  /** Reports a break; the entries after it, up to `last`, are unverifiable. */
  #reportBreak(last: number): void {
    const found = this.#break;
    if (found === undefined) return;
    const first = (found.kind === "entry_missing" ? found.last : found.sequence) + 1;
    const unverifiable: { unverifiable?: EntryRange } = last < first ? {} : { unverifiable: { first, last } };
    this.#report({ ...found, ...unverifiable });
    this.#break = undefined;
    this.#trials = undefined;
  }

  /** Processes a second entry with the same number: one of the two is invalid. */
  #again(line: ChainedLine): void {
    const computed = this.#before && nextDigest(this.#before, line.text);
    const isIntruder = this.#break?.sequence === line.sequence && this.#trials !== undefined;
    if (
      isIntruder &&
      computed !== undefined &&
      isLinkOf(computed, line.subject.kind, line.link) &&
      this.#subject !== undefined
    ) {
      this.#report({ kind: "entry_twice", sequence: line.sequence, subject: this.#subject });
      this.#break = undefined;
      this.#trials = undefined;
      this.#digest = computed;
      this.#subject = line.subject;
      return;
    }
    this.#report({ kind: "entry_twice", sequence: line.sequence, subject: line.subject });
  }

  #advance(line: ChainedLine, digest: Uint8Array | undefined): void {
    this.#before = this.#digest;
    this.#at = line.sequence;
    this.#subject = line.subject;
    this.#digest = digest;
  }
}
