import { closed, nodeErrorOf, type Rpc, TIMEOUT_MILLISECONDS, timedOut, unavailable } from "./rpc.ts";

/** A node in this process. */
export interface InProcessNode {
  readonly chainId: number;
  /** One JSON-RPC call; rejects with an error that has `code`, `message` and `data` when the node answers one. */
  request(method: string, parameters: readonly unknown[]): Promise<unknown>;
}

/** Talks to a node in this process: as over HTTP, without the way there and back. */
export function connectInProcess(node: InProcessNode): Rpc {
  /** Ends the wait of each call under way. */
  const inFlight = new Set<(reason: Error) => void>();
  let isClosed = false;
  return {
    chainId: node.chainId,
    async call(method, parameters) {
      if (isClosed) throw unavailable(closed());
      const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>();
      const timer = setTimeout(() => giveUp(timedOut(TIMEOUT_MILLISECONDS)), TIMEOUT_MILLISECONDS);
      inFlight.add(giveUp);
      try {
        return await Promise.race([node.request(method, parameters), givenUp]);
      } catch (error) {
        throw nodeErrorOf(error) ?? unavailable(error);
      } finally {
        clearTimeout(timer);
        inFlight.delete(giveUp);
      }
    },
    close() {
      isClosed = true;
      for (const giveUp of inFlight) giveUp(closed());
    },
  };
}
