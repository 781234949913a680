import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { readDeployment } from "../../server/chain/contracts/deployment.ts";
import { parseConfig } from "../../server/config/config.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import type { TableContract } from "../../server/records/index.ts";

/**
 * Returns the event tables of the deployments in `DATA_DIR`.
 * @param chainId Only that of this chain
 * @throws SealbookError `config_invalid`
 */
export async function knownTables(
  { DATA_DIR }: EnvironmentVariables,
  chainId: number | undefined,
): Promise<readonly TableContract[]> {
  const given = DATA_DIR === undefined ? {} : { DATA_DIR };
  const folder = join(parseConfig(given, { relays: false }).chain.dataDirectory, "deployments");
  if (!existsSync(folder)) return [];
  const files = globSync(`${chainId ?? "*"}.json`, { cwd: folder });
  const deployments = await Promise.all(files.map((file) => readDeployment(join(folder, file))));
  return deployments.flatMap((found) =>
    found === undefined ? [] : [{ chainId: found.chainId, address: found.contracts.EventTable }],
  );
}
