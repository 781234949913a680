import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { z } from "zod";
import { decodeCallData } from "../../server/records/call-data.ts";
import { MAX_ROW_BYTES_OFFLINE } from "../../server/records/compression.ts";
import { checkRow } from "../../server/records/row-audit.ts";
import { callDataListing, failedChecks } from "../decode-listing.ts";
import { CommandFailure } from "../commands/run-command.ts";
import { printingFailures } from "./failures.ts";

const HASH = /^0x[0-9a-f]{64}$/i;
const Transaction = z.object({ input: z.string() }).nullable();

/** `npx hardhat sealbook decode` */
export default function decode(
  { data, json }: { readonly data: string; readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  return printingFailures(async () => {
    const callData = HASH.test(data) ? await callDataOf(hre, data) : data;
    const decoded = decodeCallData(callData, undefined, MAX_ROW_BYTES_OFFLINE);
    console.log(json ? JSON.stringify(decoded.transaction, null, 2) : callDataListing(decoded));
    const failed = failedChecks(checkRow(decoded));
    if (failed.length > 0) throw new CommandFailure(`checks failed: ${failed.join("; ")}`);
  });
}

async function callDataOf(hre: HardhatRuntimeEnvironment, hash: string): Promise<string> {
  const { provider, networkName } = await hre.network.create();
  const found = Transaction.parse(await provider.request({ method: "eth_getTransactionByHash", params: [hash] }));
  if (found === null) throw new CommandFailure(`the network ${networkName} has no transaction ${hash}`);
  return found.input;
}
