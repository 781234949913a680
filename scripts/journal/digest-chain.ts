import {
  isLinkOf,
  type JournalHead,
  type JournalLine,
  nextDigest,
  wholeDigest,
} from "../../server/journal/integrity/entry-chain.ts";
import type { Finding, EntryRange, Subject } from "./finding.ts";

/** A line with what is stored of its digest. */
export interface ChainedLine extends JournalLine {
  readonly subject: Subject;
  /** The whole digest, or the first bytes of a proof's. */
  readonly link: Uint8Array;
}

/** An entry whose contents did not give its digest. */
interface Changed {
  readonly kind: "entry_changed";
  readonly sequence: number;
  readonly subject: Subject;
}

/** Entries that are not there. */
interface Missing {
  readonly kind: "entry_missing";
  readonly sequence: number;
  readonly last: number;
}

/**
 * Follows the chain of digests from entry to entry, and finds where it breaks. Of most digests only the first bytes are
 * stored: after a break it goes on from the next digest that is stored whole, and what lies between is told to be
 * unverifiable. Each kind of break is told when it is known what it is, which can be some entries later.
 */
export class DigestChain {
  readonly #report: (finding: Finding) => void;
  #at: number;
  /** Unknown after a break. */
  #digest: Uint8Array | undefined;
  /** Before the newest entry. */
  #before: Uint8Array | undefined;
  #subject: Subject | undefined;
  #break: Changed | Missing | undefined;
  /** Digests from which the entry after a changed one may go on. */
  #trials: { readonly computed: Uint8Array; readonly stored: Uint8Array | undefined } | undefined;

  constructor(start: JournalHead, report: (finding: Finding) => void) {
    this.#at = start.sequence;
    this.#digest = start.digest;
    this.#report = report;
  }

  /** The newest entry that was taken. */
  get at(): number {
    return this.#at;
  }

  /** The digest there; `undefined` while it is not known. */
  get digest(): Uint8Array | undefined {
    return this.#digest;
  }

  /** The entry at which it broke and is not mended yet: that one and all that follow are in doubt. */
  get brokenAt(): number | undefined {
    return this.#break?.sequence;
  }

  /** Takes the next entry; they come in their order. */
  next(line: ChainedLine): void {
    if (line.sequence === this.#at) return this.#again(line);
    if (line.sequence > this.#at + 1) this.#gap(line.sequence - 1);
    if (this.#trials !== undefined && this.#goOn(line)) return;
    const { digest } = this;
    if (digest === undefined) {
      const whole = wholeDigest(line.subject.kind, line.link);
      if (whole !== undefined) this.#settle(line.sequence);
      return this.#advance(line, whole);
    }
    const computed = nextDigest(digest, line.text);
    if (isLinkOf(computed, line.subject.kind, line.link)) return this.#advance(line, computed);
    this.#break = { kind: "entry_changed", sequence: line.sequence, subject: line.subject };
    this.#trials = { computed, stored: wholeDigest(line.subject.kind, line.link) };
    this.#advance(line, undefined);
  }

  /** Compares with the head, which has the newest digest whole. */
  end(head: JournalHead): void {
    if (head.sequence > this.#at) this.#gap(head.sequence);
    const trials = this.#trials;
    const digest = this.#digest ?? trials?.computed;
    if (digest === undefined) return this.#settle(head.sequence);
    const isSame = Buffer.compare(digest, head.digest) === 0;
    if (this.#break === undefined) {
      if (!isSame) this.#report({ kind: "head_changed", sequence: head.sequence });
    } else if (isSame) {
      this.#onlyDigest();
    } else if (trials?.stored !== undefined && Buffer.compare(trials.stored, head.digest) !== 0) {
      this.#settle(this.#at);
      this.#report({ kind: "head_changed", sequence: head.sequence });
    } else {
      this.#settle(this.#at);
    }
  }

  /** The entry after a changed one: does it go on from what the contents gave, or from what was stored? */
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
      this.#settle(this.#at);
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
    this.#settle(this.#at);
    this.#break = { kind: "entry_missing", sequence: this.#at + 1, last };
    this.#digest = undefined;
    this.#at = last;
  }

  /** Tells of a break; what came after it, up to an entry, could not be checked. */
  #settle(last: number): void {
    const found = this.#break;
    if (found === undefined) return;
    const first = (found.kind === "entry_missing" ? found.last : found.sequence) + 1;
    const unverifiable: { unverifiable?: EntryRange } = last < first ? {} : { unverifiable: { first, last } };
    this.#report({ ...found, ...unverifiable });
    this.#break = undefined;
    this.#trials = undefined;
  }

  /** A second entry with the same number: one of them does not belong there. */
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
