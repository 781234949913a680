import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError } from "../../errors.ts";
import type { Rpc } from "./rpc.ts";

/** A node that needs longer to report its state counts as unavailable. */
const DEADLINE_MILLISECONDS = 5_000;

/**
 * Sets a short deadline for calls of reports, which must show a hanging node soon. All other calls wait longer. A late
 * response is dropped.
 */
export function withCallDeadline(rpc: Rpc): Pick<Rpc, "call" | "chainId" | "addresses"> {
  return {
    chainId: rpc.chainId,
    addresses: () => rpc.addresses?.() ?? [],
    async call(method, parameters) {
      const done = new AbortController();
      const deadline = sleep(DEADLINE_MILLISECONDS, undefined, { signal: done.signal }).then(() => {
        throw new SealbookError(
          "chain_unavailable",
          `the chain's node did not answer within ${DEADLINE_MILLISECONDS / 1000} s`,
        );
      });
      try {
        return await Promise.race([rpc.call(method, parameters), deadline]);
      } finally {
        done.abort();
      }
    },
  };
}
