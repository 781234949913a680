import { NodeError } from "./node-error.ts";
import { type AddressState, isWrongChain, type Rpc } from "./rpc.ts";

/** Age of a check that found another chain at which the next call repeats it. */
const RECHECK_MILLISECONDS = 500;

/**
 * A connection whose node must serve the journal's chain: calls fail while it serves another one. The check runs before
 * the first call, after every failure (the next response may come from another node), and when a caller has seen a
 * block that does not follow the one before.
 */
export class IdentifiedRpc implements Rpc {
  readonly #rpc: Rpc;
  readonly #identify: (rpc: Rpc) => Promise<boolean>;
  #isIdentified = false;
  /** Why the node serves another chain, by the last check, and when that was, by `performance.now()`. */
  #refusal: { readonly at: number; readonly failure: unknown } | undefined;
  #checking: Promise<void> | undefined;

  /** @param identify Throws for a node of another chain; returns whether there was something to compare it with */
  constructor(rpc: Rpc, identify: (rpc: Rpc) => Promise<boolean>) {
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
      if (!(error instanceof NodeError)) this.#isIdentified = false;
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

  /** @returns `undefined` when the node is identified */
  #due(): Promise<void> | undefined {
    if (this.#isIdentified) return undefined;
    const isRefused = this.#refusal !== undefined && performance.now() - this.#refusal.at < RECHECK_MILLISECONDS;
    return isRefused ? Promise.reject(this.#refusal?.failure) : this.#check();
  }

  #check(): Promise<void> {
    this.#checking ??= this.#identify(this.#rpc)
      .then(
        (isIdentified) => {
          this.#isIdentified = isIdentified;
          this.#refusal = undefined;
        },
        (failure: unknown) => {
          this.#isIdentified = false;
          // A node that did not respond may respond to the next call.
          this.#refusal = isWrongChain(failure) ? { at: performance.now(), failure } : undefined;
          throw failure;
        },
      )
      .finally(() => (this.#checking = undefined));
    return this.#checking;
  }
}
