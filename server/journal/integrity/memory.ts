import { SealbookError } from "../../errors.ts";
import { equalBytes } from "../../kit/bytes.ts";
import { GENESIS, type JournalHead } from "./entry-chain.ts";
import { type HeadFile, NOTHING_SETTLED, type SeenJournal, type SettledHead } from "./head-file.ts";

/**
 * The newest entry of the journal that this process has written, followed or read from `journal.head`. It is outside of
 * the database: an older copy, another journal or a rewritten one does not have the entry with its digest.
 */
export class JournalMemory {
  readonly #file: HeadFile;
  #newest: JournalHead;
  /** Up to there everything was compared, and every proof confirmed. */
  #settled: SettledHead;
  #stored: SeenJournal | undefined;
  /** The newest entry that the transaction which runs has appended. */
  #written: JournalHead | undefined;
  /** Reads and writes of the file, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(file: HeadFile, stored: SeenJournal | undefined) {
    this.#file = file;
    this.#stored = stored;
    this.#newest = stored ?? GENESIS;
    this.#settled = stored?.settled ?? NOTHING_SETTLED;
  }

  /** @throws SealbookError `config_invalid` when the file has another content */
  static async open(file: HeadFile): Promise<JournalMemory> {
    return new JournalMemory(file, await file.read());
  }

  get newest(): JournalHead {
    return this.#newest;
  }

  /** The entry after which a comparison begins. */
  get settled(): SettledHead {
    return this.#settled;
  }

  /** The newest entry that the transaction which runs has appended, if any. */
  get written(): JournalHead | undefined {
    return this.#written;
  }

  /** Takes an entry that was followed from the newest one. */
  saw(head: JournalHead): void {
    if (head.sequence > this.#newest.sequence) this.#newest = head;
  }

  /**
   * Takes how far the journal was compared.
   * @param settled Up to there every proof is confirmed
   */
  compared(head: JournalHead, settled: SettledHead): void {
    this.saw(head);
    this.#settled = settled;
  }

  /** The transaction that runs has appended up to an entry, or undone all that it had appended. */
  wrote(head: JournalHead | undefined): void {
    this.#written = head;
  }

  /** A transaction ended. Without a response to its commit, the next one finds what it wrote. */
  transactionEnded(isCommitted: boolean): void {
    if (isCommitted && this.#written !== undefined) this.saw(this.#written);
    this.#written = undefined;
  }

  /**
   * Reads the file again: an operator may have accepted another journal on this machine.
   * @returns whether the file has another entry than this process had written there
   */
  readFile(): Promise<boolean> {
    return this.#inTurn(() => this.#read());
  }

  /** Writes the newest entry to the file, unless an operator has accepted another journal meanwhile. */
  store(): Promise<void> {
    return this.#inTurn(async () => {
      const seen = { ...this.#newest, settled: this.#settled };
      const isStored = isSame(seen, this.#stored) && isSame(seen.settled, this.#stored?.settled);
      if (isStored || (await this.#read())) return;
      await this.#file.write(seen);
      this.#stored = seen;
    });
  }

  async #read(): Promise<boolean> {
    const stored = await this.#file.read();
    if (isSame(stored, this.#stored)) return false;
    this.#stored = stored;
    this.#newest = stored ?? GENESIS;
    this.#settled = stored?.settled ?? NOTHING_SETTLED;
    return true;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work, work);
    this.#turn = done;
    return done;
  }

  /** Begins with an empty journal. */
  async forget(): Promise<void> {
    await this.#file.write(GENESIS);
    [this.#stored, this.#newest, this.#settled] = [GENESIS, GENESIS, NOTHING_SETTLED];
  }
}

/** Returns whether two are the same entry of one history. */
export function isSame(a: JournalHead | undefined, b: JournalHead | undefined): boolean {
  return a?.sequence === b?.sequence && (a === undefined || equalBytes(a.digest, b?.digest));
}

/** The text about a journal that lacks an entry. */
export function notContinued({ sequence }: JournalHead, who = "this relayer"): string {
  return (
    `the journal does not continue entry ${sequence}, which ${who} has seen: it is an older copy, another journal, ` +
    "or was rewritten"
  );
}

/** The error of what would append to such a journal. */
export function refusal(seen: JournalHead): SealbookError {
  return new SealbookError("journal_damaged", `${notContinued(seen)}. Nothing is written to it`);
}
