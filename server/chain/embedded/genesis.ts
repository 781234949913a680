import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeFileDurably } from "../../kit/durable-file.ts";
import { SealbookError, reasonOf } from "../../errors.ts";

const GenesisFile = z.object({
  version: z.literal(1),
  chainId: z.int().positive(),
  timestamp: z.int().positive(),
  gasLimit: z.int().positive(),
});

/** The parameters of the first block and so of every block hash; fixed for the life of a chain folder. */
export type Genesis = z.infer<typeof GenesisFile>;

/** The gas limit of the blocks of new chains. */
export const BLOCK_GAS_LIMIT = 30_000_000;

/** Reads the genesis of a chain folder, or creates it in a new folder. */
export async function loadGenesis(directory: string, chainId: number, logFile: string): Promise<Genesis> {
  const path = join(directory, "genesis.json");
  if (!existsSync(path)) {
    if (existsSync(logFile)) {
      throw new SealbookError(
        "block_log_damaged",
        `${path} is missing, but there is a block log beside it. Restore the folder from a backup.`,
      );
    }
    const genesis: Genesis = {
      version: 1,
      chainId,
      timestamp: Math.floor(Date.now() / 1000),
      gasLimit: BLOCK_GAS_LIMIT,
    };
    await writeFileDurably(path, [Buffer.from(`${JSON.stringify(genesis)}\n`)]);
    return genesis;
  }
  const genesis = await readGenesis(path);
  if (genesis.chainId !== chainId) {
    throw new SealbookError(
      "chain_id_differs",
      `The chain in ${directory} has chain id ${genesis.chainId}, but ${chainId} is configured.`,
    );
  }
  return genesis;
}

async function readGenesis(path: string): Promise<Genesis> {
  try {
    return GenesisFile.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    throw new SealbookError("block_log_damaged", `${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}
