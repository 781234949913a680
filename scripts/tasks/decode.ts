import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { decodeCallData } from "../../server/records/call-data.ts";
import { MAX_ROW_BYTES_OFFLINE } from "../../server/records/compression.ts";
import { checkRow } from "../../server/records/row-audit.ts";
import { callDataListing, failedChecks } from "../decode-listing.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { callDataOf } from "../proofs/node-query.ts";
import { printingFailures } from "./failures.ts";

const HASH = /^0x[0-9a-f]{64}$/i;

/** `npx hardhat sealbook decode` */
export default function decode(
  { data, json }: { readonly data: string; readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  return printingFailures(async () => {
    const callData = HASH.test(data) ? await fetchCallData(hre, data) : data;
    const decoded = decodeCallData(callData, undefined, MAX_ROW_BYTES_OFFLINE);
    console.log(json ? JSON.stringify(decoded.transaction, null, 2) : callDataListing(decoded));
    const failed = failedChecks(checkRow(decoded));
    if (failed.length > 0) throw new CommandFailure(`checks failed: ${failed.join("; ")}`);
  });
}

async function fetchCallData(hre: HardhatRuntimeEnvironment, hash: string): Promise<string> {
  const { provider, networkName } = await hre.network.create();
  const query = (method: string, params: readonly unknown[]) => provider.request({ method, params: [...params] });
  return callDataOf(query, hash, `the network ${networkName}`);
}
