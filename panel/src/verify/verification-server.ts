import type { Trust } from "./check.ts";
import type { ServerVerdict } from "./verdict.ts";

/** What a server adds to a verification. The offline page has none. */
export interface VerificationServer {
  /**
   * Returns the queries to the chain as the server shows it, for one run.
   * @param signal Ends the run
   * @param onFailure Called when the chain does not respond
   */
  readonly node: (signal: AbortSignal, onFailure: (error: unknown) => void) => NonNullable<Trust["node"]>;
  /**
   * Looks up hashes.
   * @param onFound Called with some of them
   */
  readonly records: (
    hashes: readonly string[],
    signal: AbortSignal,
    onFound: (some: ReadonlyMap<string, ServerVerdict>) => void,
  ) => Promise<void>;
}
