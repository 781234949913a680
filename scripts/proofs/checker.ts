import type { ConfirmedProof } from "../../client/index.ts";

/** Confirms proofs: the chain or the server. */
export interface ProofChecker {
  readonly name: "chain" | "server";
  /**
   * Checks a consistent proof.
   * @returns The contradiction, if there is one
   * @throws UnreachableError
   */
  contradiction(proof: ConfirmedProof["proof"]): Promise<string | undefined>;
}

/** The chain or server is unreachable. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/**
 * Wraps a query. After the first UnreachableError all further queries fail immediately, instead of waiting for a
 * timeout each.
 */
export function untilLost<Arguments extends unknown[], T>(
  query: (...args: Arguments) => Promise<T>,
): (...args: Arguments) => Promise<T> {
  let lost: UnreachableError | undefined;
  return async (...args) => {
    if (lost !== undefined) throw lost;
    try {
      return await query(...args);
    } catch (error) {
      if (error instanceof UnreachableError) lost = error;
      throw error;
    }
  };
}
