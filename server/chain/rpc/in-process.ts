import { within } from "../../kit/deadline.ts";
import { closed, nodeErrorOf, type Rpc, TIMEOUT_MILLISECONDS, timedOut, unavailable } from "./rpc.ts";

/** A node in this process. */
export interface InProcessNode {
  readonly chainId: number;
  /** Makes one JSON-RPC call; rejects with `code`, `message` and `data` when the node returns an error. */
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /** Returns the hash of a block in the record of this process, when there is one. */
  recordedHash?(blockNumber: number): Promise<string | undefined>;
}

/** Connects to a node in this process. */
export function connectInProcess(node: InProcessNode): Rpc {
  /** Ends the wait of each call in flight. */
  const inFlight = new Set<(reason: Error) => void>();
  let isClosed = false;
  return {
    chainId: node.chainId,
    recordedHash: async (blockNumber) => node.recordedHash?.(blockNumber),
    async call(method, parameters) {
      if (isClosed) throw unavailable(closed());
      const { promise: aborted, reject: abort } = Promise.withResolvers<never>();
      inFlight.add(abort);
      try {
        const result = Promise.race([node.request(method, parameters), aborted]);
        return await within(TIMEOUT_MILLISECONDS, result, () => timedOut(TIMEOUT_MILLISECONDS));
      } catch (error) {
        throw nodeErrorOf(error) ?? unavailable(error);
      } finally {
        inFlight.delete(abort);
      }
    },
    close() {
      isClosed = true;
      for (const abort of inFlight) abort(closed());
    },
  };
}
