import type { AddressState } from "./address-state.ts";
import { SealbookError } from "../../errors.ts";
import { fetchQuantity } from "./query.ts";
import { closed, NodeError, type Rpc, type Subscriber, type Subscription, timedOut, unavailable } from "./rpc.ts";

/** How often each node is asked whether it is there and has the newest block. */
const CHECK_MILLISECONDS = 1_000;
/** A node that takes longer for its newest block's number is not there. */
const CHECK_TIMEOUT_MILLISECONDS = 4_000;
/** How many blocks behind the others a node may be and still be asked: their newest block takes a moment to get round. */
const MAX_LAG_BLOCKS = 2;
/** Checks in a row at which the node in use has to be behind before another one is. */
const MAX_LAGGING_CHECKS = 2;

/** A node at one of several addresses. */
export interface NodeAtAddress {
  readonly rpc: Rpc;
  /** Fit to be shown: without name, password and query. */
  readonly shown: string;
}

/** That calls go to another address from now on. */
export interface FailOver {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

class Candidate {
  readonly rpc: Rpc;
  readonly shown: string;
  /** Whether it was found to be of this chain. */
  isKnown = false;
  blockNumber: number | undefined;
  /** Why no answer came from it; `undefined` when the last one did. */
  failure: string | undefined;
  lag = 0;
  laggingChecks = 0;

  constructor({ rpc, shown }: NodeAtAddress) {
    this.rpc = rpc;
    this.shown = shown;
  }

  /** Why it is not to be asked; `undefined` while it is. */
  get fault(): string | undefined {
    return this.failure ?? (this.laggingChecks >= MAX_LAGGING_CHECKS ? `it is ${this.lag} blocks behind` : undefined);
  }
}

interface ActiveSubscription {
  readonly topic: "newHeads";
  readonly subscriber: Subscriber;
  subscription: Subscription | undefined;
}

/**
 * Several nodes of one chain as one. Calls go to the one in use; when no answer comes from it they go to the next, which
 * is in use from then on. A call may so reach two nodes: it has to be such that this does no harm. Of ours all are: what
 * is sent are signed bytes, which a chain takes once, and everything else asks. A node that does not keep up with the
 * others is left as one that does not answer is, for it would tell of nonces and receipts that are not true any more.
 */
export class FailoverRpc implements Rpc {
  readonly chainId: number;
  readonly #candidates: readonly Candidate[];
  readonly #onFailOver: (event: FailOver) => void;
  readonly #subscriptions = new Set<ActiveSubscription>();
  readonly #timer: NodeJS.Timeout;
  #active: Candidate;
  #checking = false;
  #closed = false;

  /** @param nodes At least one; the first is used first */
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
    this.#timer = setInterval(() => void this.check(), checkMilliseconds).unref();
  }

  async call(method: string, parameters: readonly unknown[]): Promise<unknown> {
    let failure: unknown;
    for (const candidate of this.#inOrder()) {
      if (this.#closed) throw unavailable(closed());
      try {
        await this.#identify(candidate);
        const answer = await candidate.rpc.call(method, parameters);
        candidate.failure = undefined;
        if (candidate !== this.#active && this.#active.fault !== undefined) this.#use(candidate, this.#active.fault);
        return answer;
      } catch (error) {
        if (error instanceof NodeError) throw error;
        candidate.failure = reasonOf(error);
        failure ??= error;
      }
    }
    throw failure;
  }

  subscribe(topic: "newHeads", subscriber: Subscriber): Subscription {
    const follower: ActiveSubscription = { topic, subscriber, subscription: undefined };
    this.#subscriptions.add(follower);
    this.#resubscribe(follower);
    return {
      end: () => {
        this.#subscriptions.delete(follower);
        follower.subscription?.end();
      },
    };
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
    clearInterval(this.#timer);
    for (const { rpc } of this.#candidates) rpc.close();
  }

  /** Asks every node how far it is, and leaves the one in use when others are better. Happens by itself. */
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

  /** The one in use first, then those that nothing is known against. When there is none at all, every one is tried. */
  #inOrder(): readonly Candidate[] {
    const others = this.#candidates.filter((candidate) => candidate !== this.#active);
    const fit = others.filter(({ fault }) => fault === undefined);
    return [this.#active, ...(fit.length > 0 ? fit : others)];
  }

  async #checkOne(candidate: Candidate): Promise<void> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => reject(unavailable(timedOut(CHECK_TIMEOUT_MILLISECONDS))),
      CHECK_TIMEOUT_MILLISECONDS,
    );
    try {
      const asked = this.#identify(candidate).then(() => fetchQuantity(candidate.rpc, "eth_blockNumber", []));
      candidate.blockNumber = await Promise.race([asked, late]);
      candidate.failure = undefined;
    } catch (error) {
      candidate.failure = reasonOf(error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A node of another chain is as good as none. */
  async #identify(candidate: Candidate): Promise<void> {
    if (candidate.isKnown) return;
    const chainId = await fetchQuantity(candidate.rpc, "eth_chainId", []);
    if (chainId !== this.chainId)
      throw new SealbookError("chain_unavailable", `it is a node of chain ${chainId}, not ${this.chainId}`);
    candidate.isKnown = true;
  }

  #use(candidate: Candidate, reason: string): void {
    const from = this.#active.shown;
    this.#active = candidate;
    this.#onFailOver({ from, to: candidate.shown, reason });
    for (const follower of this.#subscriptions) {
      follower.subscription?.end();
      follower.subscriber.onLost(unavailable(new Error(reason)));
      this.#resubscribe(follower);
    }
  }

  #resubscribe(follower: ActiveSubscription): void {
    follower.subscription = this.#active.rpc.subscribe?.(follower.topic, follower.subscriber);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
