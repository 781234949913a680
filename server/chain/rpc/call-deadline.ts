import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError } from "../../errors.ts";
import type { Rpc } from "./rpc.ts";

/** How long a node's word on itself is waited for; one that takes longer is as good as gone. */
const PATIENCE_MILLISECONDS = 5_000;

/**
 * For those who have to be told soon that a node hangs: any other call to it is given up much later, as one that writes
 * has to be. An answer that comes too late is passed over.
 */
export function withCallDeadline(rpc: Rpc): Pick<Rpc, "call" | "chainId" | "addresses"> {
  return {
    chainId: rpc.chainId,
    addresses: () => rpc.addresses?.() ?? [],
    async call(method, parameters) {
      const answered = new AbortController();
      const patience = sleep(PATIENCE_MILLISECONDS, undefined, { signal: answered.signal }).then(() => {
        throw new SealbookError(
          "chain_unavailable",
          `the chain's node did not answer within ${PATIENCE_MILLISECONDS / 1000} s`,
        );
      });
      try {
        return await Promise.race([rpc.call(method, parameters), patience]);
      } finally {
        answered.abort();
      }
    },
  };
}
