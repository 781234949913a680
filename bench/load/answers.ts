/** What a load expects of its answers, and what came. */
export class Answers {
  readonly #expected: number;
  readonly #check: (body: string) => boolean;
  /** The last answer that was looked at. */
  sample = "";
  #pending = 0;
  #fault: string | undefined;
  #status: string | undefined;

  /**
   * @param expected The status of an answer that counts
   * @param check Looks at a sample of their bodies
   */
  constructor(expected: number, check: (body: string) => boolean) {
    this.#expected = expected;
    this.#check = check;
  }

  get pending(): number {
    return this.#pending;
  }

  /** Why the load is worth nothing, if it is. */
  get fault(): string | undefined {
    return this.#fault ?? this.#status;
  }

  /** @returns whether the answer counts */
  take(status: number): boolean {
    if (status === this.#expected) return true;
    if (status === 202) this.#pending += 1;
    else this.#status ??= `an answer had status ${status}`;
    return false;
  }

  /** Looks at an answer's body, of whatever status. */
  inspect(status: number, body: string): void {
    if (status !== this.#expected) {
      if (status !== 202) this.fail(`an answer had status ${status}: ${body.slice(0, 300)}`);
    } else if (this.#check(body)) {
      this.sample = body;
    } else {
      this.fail(`an answer is not what was asked for: ${body.slice(0, 300)}`);
    }
  }

  fail(reason: string): void {
    this.#fault ??= reason;
  }
}

/** Whether a body, of a single or a bulk post, says that a transaction confirmed it. */
export function isConfirmed(body: string): boolean {
  return body.includes('"status":"confirmed"') && /"tx_hash":"0x[0-9a-f]{64}"/.test(body);
}
