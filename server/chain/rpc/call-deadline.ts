import { SealbookError } from "../../errors.ts";
import { within } from "../../kit/deadline.ts";
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
    call: (method, parameters) =>
      within(
        DEADLINE_MILLISECONDS,
        rpc.call(method, parameters),
        () =>
          new SealbookError(
            "chain_unavailable",
            `the chain's node did not respond within ${DEADLINE_MILLISECONDS / 1000} s`,
          ),
      ),
  };
}
