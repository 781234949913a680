import { setTimeout as sleep } from "node:timers/promises";
import { EmbeddedChainError, reasonOf } from "./errors.ts";
import type { Miner } from "./miner.ts";
import type { Session } from "./session.ts";

/** The time between two interruptions of a chain. */
export interface Life {
  readonly session: Session;
  readonly miner: Miner;
  /** Resolves when requests have to go to the next life. */
  readonly over: PromiseWithResolvers<void>;
}

/** Why a life ended by itself. */
export interface Failure {
  readonly reason: string;
  /** Anvil was making a block; then its death may be the fault of a waiting transaction. */
  readonly whileMining: boolean;
}

/**
 * Makes blocks until the chain is stopped (null) or something fails. Anvil is ended and the log closed either way;
 * `beforeStop` is called while both are still there.
 */
export async function live({ session, miner }: Life, beforeStop: () => Promise<void>): Promise<Failure | null> {
  const { process } = session.node;
  const died = process.ended.then((reason) => Promise.reject(new EmbeddedChainError("anvil-failed", reason)));
  const cut = Promise.race([process.control.closed, process.queries.closed]).then(async () => {
    await sleep(100); // the end of the process, if that is the cause, says more
    throw new EmbeddedChainError("anvil-failed", "The connection to Anvil is gone.");
  });
  died.catch(() => undefined);
  cut.catch(() => undefined);
  const run = miner.run();
  try {
    await Promise.race([run, died, cut]);
    await beforeStop();
    await session.close();
    return null;
  } catch (error) {
    const whileMining = miner.isMining;
    miner.stop();
    await process.stop();
    await run.catch(() => undefined); // nothing may write to the log any more
    await session.close().catch(() => undefined);
    return { reason: reasonOf(error), whileMining };
  }
}
