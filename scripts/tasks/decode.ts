import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import { parseAddress } from "../address.ts";
import { CommandFailure, UNDETERMINED } from "../commands/run-command.ts";
import { type AuditedCall, auditCall } from "../decode/audit.ts";
import { AuditedChain, TRANSACTION_HASH } from "../decode/chain.ts";
import { callListing } from "../decode/listing.ts";
import { callReport } from "../decode/report.ts";
import { knownTables } from "../decode/known-tables.ts";
import { readEnv } from "../../server/config/environment.ts";
import { printingFailures } from "./failures.ts";
import { nodeErrorOf } from "../../server/chain/rpc/rpc.ts";

interface DecodeArguments {
  readonly data: string;
  /** Empty when it is not named. */
  readonly contract: string;
  readonly json: boolean;
}

/** `npx hardhat sealbook decode` */
export default function decode(options: DecodeArguments, hre: HardhatRuntimeEnvironment): Promise<void> {
  return printingFailures(async () => {
    const audited = await audit(options, hre);
    console.log(options.json ? JSON.stringify(callReport(audited), null, 2) : callListing(audited));
    const { failed, undetermined } = audited;
    if (failed.length > 0) throw new CommandFailure(`checks failed: ${failed.join("; ")}`);
    if (undetermined.length > 0) throw new CommandFailure(`undetermined: ${undetermined.join("; ")}`, UNDETERMINED);
  });
}

/** The network is queried for a transaction, and for a contract that is named. */
async function audit({ data, contract }: DecodeArguments, hre: HardhatRuntimeEnvironment): Promise<AuditedCall> {
  const isHash = TRANSACTION_HASH.test(data);
  if (!isHash && contract === "")
    return auditCall({ inputdata: data, known: await knownTables(readEnv(), undefined) }, undefined, undefined);
  const { chain, networkName } = await chainOf(hre);
  const named = contract === "" ? undefined : { chainId: chain.chainId, address: parseAddress("--contract", contract) };
  if (!isHash) return auditCall({ inputdata: data, named }, undefined, chain);
  const transaction = await chain.transaction(data.toLowerCase());
  if (transaction === undefined) throw new CommandFailure(`the network ${networkName} has no transaction ${data}`);
  return auditCall({ inputdata: transaction.input, transaction, named }, undefined, chain);
}

async function chainOf(hre: HardhatRuntimeEnvironment) {
  const { provider, networkName } = await hre.network.create();
  const chain = await AuditedChain.open({
    call: (method, params) =>
      provider.request({ method, params: [...params] }).catch((error: unknown) => {
        throw nodeErrorOf(error) ?? error;
      }),
  });
  return { chain, networkName };
}
