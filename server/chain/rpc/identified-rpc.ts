import { SealbookError } from "../../errors.ts";
import { type AddressState, NodeError, WrongChainError, type Rpc } from "./rpc.ts";

/** Age of a successful check at which the next call repeats it. */
const CHECK_MILLISECONDS = 5_000;
/** Age of a check that found another chain at which the next call repeats it. */
const RECHECK_MILLISECONDS = 500;

interface Check {
  /** By `performance.now()`. */
  readonly at: number;
  readonly failure: unknown;
}

/**
 * A connection whose node must serve the journal's chain: calls fail while it serves another one. The check runs before
 * the first call, after every failure (the next response may come from another node), and at an interval.
 */
export class IdentifiedRpc implements Rpc {
  readonly #rpc: Rpc;
  readonly #identify: (rpc: Rpc) => Promise<void>;
  #last: Check | undefined;
  #checking: Promise<void> | undefined;

  /** @param identify Throws for a node of another chain */
  constructor(rpc: Rpc, identify: (rpc: Rpc) => Promise<void>) {
    this.#rpc = rpc;
    this.#identify = identify;
  }

  get chainId(): number {
    return this.#rpc.chainId;
  }

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    const pending = this.#due();
    if (pending !== undefined) await pending;
    try {
      return await this.#rpc.call(method, parameters);
    } catch (error) {
      if (!(error instanceof NodeError)) this.#last = undefined;
      throw error;
    }
  }

  /** A check that began before this call is repeated: the node may have changed since. */
  async identify(): Promise<void> {
    await this.#checking?.catch(() => undefined);
    await this.#check();
  }

  addresses(): readonly AddressState[] {
    return this.#rpc.addresses?.() ?? [];
  }

  close(): void {
    this.#rpc.close();
  }

  /** @returns `undefined` when the last check is recent and succeeded */
  #due(): Promise<void> | undefined {
    if (this.#last === undefined) return this.#check();
    const age = performance.now() - this.#last.at;
    if (this.#last.failure === undefined) return age < CHECK_MILLISECONDS ? undefined : this.#check();
    return age < RECHECK_MILLISECONDS ? Promise.reject(this.#last.failure) : this.#check();
  }

  #check(): Promise<void> {
    this.#checking ??= this.#identify(this.#rpc)
      .then(
        () => void (this.#last = { at: performance.now(), failure: undefined }),
        (failure: unknown) => {
          // A node that did not respond may respond to the next call.
          this.#last = isWrongChain(failure) ? { at: performance.now(), failure } : undefined;
          throw failure;
        },
      )
      .finally(() => (this.#checking = undefined));
    return this.#checking;
  }
}

function isWrongChain(failure: unknown): boolean {
  return failure instanceof SealbookError && failure.cause instanceof WrongChainError;
}
