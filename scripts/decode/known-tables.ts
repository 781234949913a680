import type { EnvironmentVariables } from "../../server/config/environment.ts";
import type { TableContract } from "../../server/records/index.ts";
import { knownDeployments } from "../known-deployments.ts";

/**
 * Returns the event tables of the deployments in `DATA_DIR`.
 * @param chain Only that of the chain with this id
 * @throws SealbookError `config_invalid`
 */
export async function knownTables(
  variables: EnvironmentVariables,
  chain: number | undefined,
): Promise<readonly TableContract[]> {
  return (await knownDeployments(variables))
    .filter(({ chainId }) => chain === undefined || chain === chainId)
    .map(({ chainId, contracts }) => ({ chainId, address: contracts.EventTable }));
}
