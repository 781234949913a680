import { NodeError } from "../../server/chain/rpc/node-error.ts";
import { type Rpc, TIMEOUT_MILLISECONDS, timedOut, unavailable } from "../../server/chain/rpc/rpc.ts";
import type { Life, Pace } from "./life.ts";
import type { SimulatedChain } from "./simulated-chain.ts";

/** What becomes of a call. */
export type Fault =
  /** No connection: the node never hears of it. */
  | "unreachable"
  /** The node executes the call, and the response is lost. */
  | "cut"
  /** No response arrives; the node may or may not receive the call. */
  | "hanging"
  | "silent"
  /** The node has no room or time now. */
  | "busy"
  /** The node takes a transaction neither now nor later. */
  | "refused";

interface Trouble {
  readonly fault: Fault;
  readonly of: "sends" | "calls";
  left: number;
}

/**
 * The network between the relayers and the node. Calls in flight overtake each other, as they do over several
 * connections. It takes the place of HTTP, which has its own tests: the seed fixes the order of arrival.
 */
export class Network {
  readonly #chain: SimulatedChain;
  readonly #pace: Pace;
  readonly #onSend: (raw: string) => void;
  #trouble: Trouble | undefined;
  #inFlight: (() => void)[] = [];

  /** @param onSend called when a signed transaction leaves its process */
  constructor(chain: SimulatedChain, pace: Pace, onSend: (raw: string) => void) {
    this.#chain = chain;
    this.#pace = pace;
    this.#onSend = onSend;
  }

  get idle(): boolean {
    return this.#inFlight.length === 0;
  }

  /** Lets the next calls fail. */
  disturb(fault: Fault, of: Trouble["of"], calls: number): void {
    this.#trouble = { fault, of, left: calls };
  }

  heal(): void {
    this.#trouble = undefined;
  }

  connect(chainId: number, life: Life): Rpc {
    let closed = false;
    return {
      chainId,
      call: async (method, parameters) => {
        await life.step();
        if (closed) throw unavailable(new Error("closed"));
        if (method === "eth_sendRawTransaction") this.#onSend(String(parameters[0]));
        const response = await this.#exchange(method, parameters, life);
        await life.step();
        return response;
      },
      close: () => void (closed = true),
    };
  }

  #exchange(method: string, parameters: readonly unknown[], life: Life): Promise<unknown> {
    const fault = this.#faultFor(method);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    if (fault === "unreachable") this.#later(() => reject(unavailable(new Error(fault))));
    else if (fault === "busy") this.#later(() => reject(new NodeError("txpool is full", -32000, undefined)));
    else {
      this.#later(() => {
        if (fault === "hanging") return;
        // Of what a process had written to its connections when it was killed, a part arrives.
        if (life.ended && this.#pace.random() < 0.5) return;
        const response = this.#respond(method, parameters, fault === "refused");
        // It may get lost on its way.
        response.catch(() => undefined);
        if (fault === "silent") return;
        this.#later(() => {
          if (fault === "cut") reject(unavailable(new Error(fault)));
          else response.then(resolve, reject);
        });
      });
    }
    if (fault === "hanging" || fault === "silent") {
      setTimeout(() => reject(unavailable(timedOut(TIMEOUT_MILLISECONDS))), TIMEOUT_MILLISECONDS);
    }
    return promise;
  }

  async #respond(method: string, parameters: readonly unknown[], refuse: boolean): Promise<unknown> {
    if (refuse && method === "eth_sendRawTransaction") return this.#chain.refuseForever(String(parameters[0]));
    return this.#chain.respond(method, parameters);
  }

  #faultFor(method: string): Fault | undefined {
    const trouble = this.#trouble;
    if (trouble === undefined || trouble.left === 0) return undefined;
    if (trouble.of === "sends" && method !== "eth_sendRawTransaction") return undefined;
    trouble.left -= 1;
    return trouble.fault;
  }

  #later(event: () => void): void {
    this.#inFlight.push(event);
    setImmediate(() => this.#deliverOne());
  }

  #deliverOne(): void {
    this.#pace.activity += 1;
    const [event] = this.#inFlight.splice(Math.floor(this.#pace.random() * this.#inFlight.length), 1);
    event?.();
  }
}
