import { setTimeout as sleep } from "node:timers/promises";
import { SealbookError, reasonOf } from "../../errors.ts";
import type { Miner } from "./miner.ts";
import type { AnvilInstance } from "./anvil-instance.ts";

/** A running chain, from its start to its stop or its first failure. */
export interface ChainRun {
  readonly instance: AnvilInstance;
  readonly miner: Miner;
  /** Resolves when requests belong to the next run. */
  readonly over: PromiseWithResolvers<void>;
}

/** Reason why a run ended unexpectedly. */
export interface RunFailure {
  readonly reason: string;
  /** Whether Anvil was mining: a waiting transaction may then have crashed it. */
  readonly whileMining: boolean;
}

/**
 * Makes blocks until the chain is stopped or fails, then ends Anvil and closes the log.
 * @param beforeStop Called at a stop, while Anvil and the log are still open
 * @returns `null` after a stop
 */
export async function runChain(
  { instance, miner }: ChainRun,
  beforeStop: () => Promise<void>,
): Promise<RunFailure | null> {
  const { process } = instance.node;
  const died = process.ended.then((reason) => Promise.reject(new SealbookError("chain_unavailable", reason)));
  const cut = process.disconnected.then(async () => {
    await sleep(100); // The exit of the process, if that is the cause, says more.
    throw new SealbookError("chain_unavailable", "The connection to Anvil was lost.");
  });
  died.catch(() => undefined);
  cut.catch(() => undefined);
  const run = miner.run();
  try {
    await Promise.race([run, died, cut]);
    await beforeStop();
    await instance.close();
    return null;
  } catch (error) {
    const whileMining = miner.isMining;
    miner.stop();
    await process.stop();
    await run.catch(() => undefined); // Nothing may write to the log any more.
    await instance.close().catch(() => undefined);
    return { reason: reasonOf(error), whileMining };
  }
}
