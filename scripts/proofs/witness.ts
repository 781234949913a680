import type { ConfirmedProof } from "../../client/index.ts";

/** Who confirms proofs: the chain itself, or the server. */
export interface Witness {
  readonly name: "chain" | "server";
  /**
   * Asks about a proof that holds together.
   * @returns how the witness contradicts it, if it does
   * @throws UnreachableError
   */
  contradiction(proof: ConfirmedProof["proof"]): Promise<string | undefined>;
}

/** The witness could not be asked. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/**
 * Asks until the first time that there is no answer; after that every question fails at once, for many files would
 * wait as long each.
 */
export function untilLost<Arguments extends unknown[], T>(
  ask: (...args: Arguments) => Promise<T>,
): (...args: Arguments) => Promise<T> {
  let lost: UnreachableError | undefined;
  return async (...args) => {
    if (lost !== undefined) throw lost;
    try {
      return await ask(...args);
    } catch (error) {
      if (error instanceof UnreachableError) lost = error;
      throw error;
    }
  };
}
