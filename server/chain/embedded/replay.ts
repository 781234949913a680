import type { AnvilClient } from "./anvil-client.ts";
import type { BlockEntry, BlockLog } from "./block-log.ts";
import { SealbookError, reasonOf } from "../../errors.ts";
import { NodeError } from "../rpc/rpc.ts";

/** A hash covers all earlier blocks, so not every block is checked. */
const CHECK_EVERY = 256;
const PROGRESS_EVERY_MS = 1_000;

/** Mines the logged blocks from a number on again and compares the hashes. Returns the number of blocks. */
export async function replay(
  node: AnvilClient,
  log: BlockLog,
  from: number,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const total = (log.last?.number ?? 0) - from + 1;
  let done = 0;
  let reported = performance.now();
  for (const entry of log.entries(from)) {
    await mineAgain(node, entry);
    done += 1;
    if (done % CHECK_EVERY === 0 || done === total) await compare(node, log, entry, from);
    if (performance.now() - reported >= PROGRESS_EVERY_MS) {
      reported = performance.now();
      onProgress(done, total);
    }
  }
  return done;
}

async function mineAgain(node: AnvilClient, entry: BlockEntry): Promise<void> {
  try {
    // In sequence: their order in the pool is their order in the block.
    for (const raw of entry.transactions) await node.send(raw);
    await node.mine(entry.timestamp);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new SealbookError(
      "block_log_differs",
      `Anvil refuses what block ${entry.number} of the log holds: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

async function compare(node: AnvilClient, log: BlockLog, entry: BlockEntry, from: number): Promise<void> {
  if ((await node.block(entry.number)).hash === entry.hash) return;
  for (const logged of log.entries(from)) {
    const { hash } = await node.block(logged.number);
    if (hash === logged.hash) continue;
    throw new SealbookError(
      "block_log_differs",
      `Block ${logged.number} has the hash ${logged.hash} in the log, but mining it again gives ${hash}. ` +
        "The log was changed, or this version of Anvil does not run the chain as the one that made it.",
    );
  }
}
