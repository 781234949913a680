import { NodeError } from "./node-error.ts";
import { type AddressState, closed, isWrongChain, type Rpc, timedOut, unavailable, WrongChainError } from "./rpc.ts";
import { reasonOf } from "../../errors.ts";
import { every, type Interval, within } from "../../kit/time.ts";
import { fetchChainIdOf, fetchHead } from "./query.ts";

/** Interval of the checks whether each node responds and has the newest block. */
const CHECK_MILLISECONDS = 1_000;
/** A node that needs longer to return its newest block's number is unavailable. */
const CHECK_TIMEOUT_MILLISECONDS = 4_000;
/** The greatest lag of a node in use, in blocks: a new block needs a moment to spread. */
const MAX_LAG_BLOCKS = 2;
/** Checks in a row that find a node lagging before another one is used. */
const MAX_LAGGING_CHECKS = 2;

/** A node at one of several addresses. */
export interface NodeAtAddress {
  readonly rpc: Rpc;
  /** For logs and reports: without name, password and query. */
  readonly shown: string;
}

/** A switch to another address. */
export interface FailOver {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

class Candidate {
  readonly rpc: Rpc;
  readonly shown: string;
  /** Whether the chain id was checked. */
  isIdentified = false;
  blockNumber: number | undefined;
  /** Why the last call failed; `undefined` when it succeeded. */
  failure: string | undefined;
  lag = 0;
  laggingChecks = 0;

  constructor({ rpc, shown }: NodeAtAddress) {
    this.rpc = rpc;
    this.shown = shown;
  }

  /** Why the node is not used; `undefined` for a healthy one. */
  get fault(): string | undefined {
    return this.failure ?? (this.laggingChecks >= MAX_LAGGING_CHECKS ? `it lags ${this.lag} blocks` : undefined);
  }
}

/**
 * Several nodes of one chain as one. Calls go to the active node. When it does not respond, they go to the next, which
 * is active from then on. A call can reach two nodes, so it must be idempotent. All our calls are: signed transactions
 * count once on a chain, everything else is a query. A lagging node is replaced like an unavailable one, because its
 * nonces and receipts are stale.
 */
export class FailoverRpc implements Rpc {
  readonly chainId: number;
  readonly #candidates: readonly Candidate[];
  readonly #onFailOver: (event: FailOver) => void;
  readonly #checks: Interval;
  #active: Candidate;
  #checking = false;
  #closed = false;

  /** @param nodes At least one; the first is active at first */
  constructor(
    nodes: readonly [NodeAtAddress, ...NodeAtAddress[]],
    chainId: number,
    onFailOver: (event: FailOver) => void = () => undefined,
    checkMilliseconds = CHECK_MILLISECONDS,
  ) {
    this.chainId = chainId;
    this.#onFailOver = onFailOver;
    const [first, ...others] = nodes;
    this.#active = new Candidate(first);
    this.#candidates = [this.#active, ...others.map((node) => new Candidate(node))];
    this.#checks = every(checkMilliseconds, () => this.check(), { unref: true });
  }

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    let failure: unknown;
    for (const candidate of this.#inOrder()) {
      if (this.#closed) throw unavailable(closed());
      try {
        await this.#identify(candidate);
        const result = await candidate.rpc.call(method, parameters);
        candidate.failure = undefined;
        if (candidate !== this.#active && this.#active.fault !== undefined) this.#use(candidate, this.#active.fault);
        return result;
      } catch (error) {
        if (error instanceof NodeError) throw error;
        candidate.failure = reasonOf(error);
        failure ??= error;
      }
    }
    throw failure;
  }

  async identify(): Promise<void> {
    await this.#active.rpc.identify?.();
  }

  async callEach(method: string, parameters: readonly unknown[]): Promise<readonly unknown[]> {
    const results = await Promise.allSettled(
      this.#candidates.map(async (candidate) => {
        await this.#identify(candidate);
        return candidate.rpc.call(method, parameters);
      }),
    );
    return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  }

  addresses(): readonly AddressState[] {
    return this.#candidates.map((candidate) => ({
      address: candidate.shown,
      active: candidate === this.#active,
      reachable: candidate.fault === undefined,
      blockNumber: candidate.blockNumber,
      reason: candidate.fault,
    }));
  }

  close(): void {
    this.#closed = true;
    void this.#checks.stop();
    for (const { rpc } of this.#candidates) rpc.close();
  }

  /** Fetches the newest block's number of every node and replaces an active node that lags or fails. Runs by itself. */
  async check(): Promise<void> {
    if (this.#checking || this.#closed) return;
    this.#checking = true;
    await Promise.all(this.#candidates.map((candidate) => this.#checkOne(candidate)));
    this.#checking = false;
    if (this.#closed) return;
    const newest = Math.max(...this.#candidates.map(({ blockNumber }) => blockNumber ?? 0));
    for (const candidate of this.#candidates) {
      candidate.lag = newest - (candidate.blockNumber ?? newest);
      candidate.laggingChecks = candidate.lag > MAX_LAG_BLOCKS ? candidate.laggingChecks + 1 : 0;
    }
    const { fault } = this.#active;
    const better = this.#candidates.find((candidate) => candidate.fault === undefined);
    if (fault !== undefined && better !== undefined) this.#use(better, fault);
  }

  /** Returns the active node first, then the healthy ones; without a healthy one, all others. */
  #inOrder(): readonly Candidate[] {
    const others = this.#candidates.filter((candidate) => candidate !== this.#active);
    const fit = others.filter(({ fault }) => fault === undefined);
    return [this.#active, ...(fit.length > 0 ? fit : others)];
  }

  async #checkOne(candidate: Candidate): Promise<void> {
    try {
      const height = this.#identify(candidate).then(() => fetchHead(candidate.rpc));
      candidate.blockNumber = await within(CHECK_TIMEOUT_MILLISECONDS, height, () =>
        unavailable(timedOut(CHECK_TIMEOUT_MILLISECONDS)),
      );
      candidate.failure = undefined;
    } catch (error) {
      candidate.failure = reasonOf(error);
      // The blocks of another chain have other numbers.
      if (isWrongChain(error)) candidate.blockNumber = undefined;
    }
  }

  /** Rejects a node of another chain. */
  async #identify(candidate: Candidate): Promise<void> {
    if (candidate.isIdentified) return;
    const chainId = await fetchChainIdOf(candidate.rpc);
    if (chainId !== this.chainId)
      throw unavailable(new WrongChainError(`it is a node of chain ${chainId}, not ${this.chainId}`));
    candidate.isIdentified = true;
  }

  #use(candidate: Candidate, reason: string): void {
    const from = this.#active.shown;
    this.#active = candidate;
    this.#onFailOver({ from, to: candidate.shown, reason });
  }
}
