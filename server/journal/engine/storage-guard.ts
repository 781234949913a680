import { SealbookError } from "../../errors.ts";
import { PinnedPath } from "../../kit/pinned-path.ts";

/** Time after which a rejected write can be repeated: an operator has to act first. */
const RETRY_SECONDS = 30;

/**
 * Guards the files that the journal depends on. Deleted files stay writable for the process that has them open; the
 * guard keeps it from confirming what is lost at its end.
 */
export class StorageGuard {
  readonly #pinned: PinnedPath[] = [];
  #damage: string | undefined;
  #lack: string | undefined;

  /** Adds a file or folder that must stay in place. */
  pin(path: string, options: { readonly neverShrinks?: boolean } = {}): void {
    this.#pinned.push(new PinnedPath(path, options));
  }

  /** Records that the content of the database is damaged, which lasts until the next start. */
  damaged(reason: string): void {
    this.#damage ??= reason;
  }

  /** Records why there is too little space for new data; `undefined` when there is enough. */
  lacksSpace(reason: string | undefined): void {
    this.#lack = reason;
  }

  /**
   * Asserts that new data can be accepted. What was accepted before is still completed in the space that is left.
   * @throws SealbookError `storage_full`
   */
  assertSpace(): void {
    if (this.#lack !== undefined)
      throw new SealbookError("storage_full", this.#lack, { retryAfterSeconds: RETRY_SECONDS });
  }

  /** Returns why the files cannot be written to any more. */
  misplaced(): string | undefined {
    for (const pinned of this.#pinned) {
      const fault = pinned.fault();
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  /** Returns the fault of the files or of their content; `undefined` without one. */
  fault(): string | undefined {
    return this.misplaced() ?? this.#damage;
  }

  /** @throws SealbookError `journal_unavailable` when a file is not in place */
  assertInPlace(): void {
    const fault = this.misplaced();
    if (fault === undefined) return;
    // Callers of the API see the message; the path is for the log.
    throw new SealbookError("journal_unavailable", "the files of the journal are not in place", {
      cause: new Error(fault),
      retryAfterSeconds: RETRY_SECONDS,
    });
  }
}
