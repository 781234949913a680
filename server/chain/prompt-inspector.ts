import { setTimeout as sleep } from "node:timers/promises";
import type { NodeInspector } from "../domain/ports.ts";
import { SealbookError } from "../errors.ts";

/** How long a node's word on itself is waited for; one that takes longer is as good as gone. */
const PATIENCE_MILLISECONDS = 3_000;

/**
 * For those who have to be told soon that the node hangs: a call to it is given up much later, as one that writes has to
 * be. An answer that comes too late is passed over.
 */
export function promptInspector(inspect: NodeInspector, patienceMilliseconds = PATIENCE_MILLISECONDS): NodeInspector {
  return async () => {
    const answered = new AbortController();
    const patience = sleep(patienceMilliseconds, undefined, { signal: answered.signal }).then(() => {
      throw new SealbookError("chain_unavailable", `the chain's node did not answer within ${patienceMilliseconds / 1000} s`);
    });
    try {
      return await Promise.race([inspect(), patience]);
    } finally {
      answered.abort();
    }
  };
}
