import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { CommandFailure, UNDETERMINED } from "../commands/run-command.ts";
import { type AuditedCall, auditCall } from "../decode/audit.ts";
import { AuditedChain } from "../decode/chain.ts";
import { callListing } from "../decode/listing.ts";
import { callReport } from "../decode/report.ts";
import { knownTables } from "../decode/known-tables.ts";
import { readEnv } from "../../server/config/environment.ts";
import { printingFailures } from "./failures.ts";
import { nodeErrorOf } from "../../server/chain/rpc/rpc.ts";

const HASH = /^0x[0-9a-f]{64}$/i;

/** `npx hardhat sealbook decode` */
export default function decode(
  { data, json }: { readonly data: string; readonly json: boolean },
  hre: HardhatRuntimeEnvironment,
): Promise<void> {
  return printingFailures(async () => {
    const audited = HASH.test(data)
      ? await auditTransaction(hre, data.toLowerCase())
      : await auditCall({ inputdata: data, tables: await knownTables(readEnv(), undefined) }, undefined, undefined);
    console.log(json ? JSON.stringify(callReport(audited), null, 2) : callListing(audited));
    const { failed, undetermined } = audited;
    if (failed.length > 0) throw new CommandFailure(`checks failed: ${failed.join("; ")}`);
    if (undetermined.length > 0) throw new CommandFailure(`undetermined: ${undetermined.join("; ")}`, UNDETERMINED);
  });
}

async function auditTransaction(hre: HardhatRuntimeEnvironment, hash: string): Promise<AuditedCall> {
  const { provider, networkName } = await hre.network.create();
  const chain = await AuditedChain.open({
    call: (method, params) =>
      provider.request({ method, params: [...params] }).catch((error: unknown) => {
        throw nodeErrorOf(error) ?? error;
      }),
  });
  const transaction = await chain.transaction(hash);
  if (transaction === undefined) throw new CommandFailure(`the network ${networkName} has no transaction ${hash}`);
  return auditCall({ inputdata: transaction.input, transaction }, undefined, chain);
}
