/** Checks and counts the responses of a load. */
export class ResponseCheck {
  readonly #expected: number;
  readonly #check: (body: string) => boolean;
  /** The last inspected response. */
  sample = "";
  #pending = 0;
  #fault: string | undefined;
  #status: string | undefined;

  /**
   * @param expected The status of a counted response
   * @param check Checks a sample of the bodies
   */
  constructor(expected: number, check: (body: string) => boolean) {
    this.#expected = expected;
    this.#check = check;
  }

  get pending(): number {
    return this.#pending;
  }

  /** The reason why the load is invalid; `undefined` for a valid load. */
  get fault(): string | undefined {
    return this.#fault ?? this.#status;
  }

  /** @returns whether the response counts */
  take(status: number): boolean {
    if (status === this.#expected) return true;
    if (status === 202) this.#pending += 1;
    else this.#status ??= `a response had status ${status}`;
    return false;
  }

  /** Checks the body of a response with any status. */
  inspect(status: number, body: string): void {
    if (status !== this.#expected) {
      if (status !== 202) this.fail(`a response had status ${status}: ${body.slice(0, 300)}`);
    } else if (this.#check(body)) {
      this.sample = body;
    } else {
      this.fail(`unexpected response: ${body.slice(0, 300)}`);
    }
  }

  fail(reason: string): void {
    this.#fault ??= reason;
  }
}

/** Whether the body of a single or bulk post reports a confirmation. */
export function isConfirmed(body: string): boolean {
  return body.includes('"status":"confirmed"') && /"tx_hash":"0x[0-9a-f]{64}"/.test(body);
}
