import { globSync } from "node:fs";
import { join } from "node:path";
import { type Deployment, readDeployment } from "../server/chain/contracts/deployment.ts";
import { parseConfig } from "../server/config/config.ts";
import type { EnvironmentVariables } from "../server/config/environment.ts";

/**
 * Reads the deployments in `DATA_DIR` that have all contracts.
 * @throws SealbookError `config_invalid`
 */
export async function knownDeployments({ DATA_DIR }: EnvironmentVariables): Promise<Deployment[]> {
  const given = DATA_DIR === undefined ? {} : { DATA_DIR };
  const folder = join(parseConfig(given, { relays: false }).chain.dataDirectory, "deployments");
  const read = globSync("*.json", { cwd: folder }).map((file) => readDeployment(join(folder, file)));
  return (await Promise.all(read)).filter((found) => found !== undefined);
}
