import { getAddress } from "ethers";
import type { Deployment } from "../../server/chain/contracts/deployment.ts";
import { fetchCode } from "../../server/chain/contracts/contract-code.ts";
import { INTERFACES, readContract } from "../../server/chain/contracts/interfaces.ts";
import type { Role } from "../../server/chain/contracts/roles.ts";
import { RelayerRoles } from "../relayer/relayer-roles.ts";
import { SessionRegistryClient } from "../../server/chain/contracts/session-registry-client.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import {
  type Address,
  CONTRACT_NAMES,
  type ContractAddresses,
  type ContractName,
} from "../../server/chain/transaction.ts";
import type { ChainConfig } from "../../server/config/config.ts";
import { builtContract } from "./build.ts";
import { matchCode } from "./origin.ts";

/** One comparison of the chain with the build or the configuration. */
export interface Finding {
  readonly ok: boolean;
  /** A contract, or what is configured. */
  readonly subject: string;
  readonly text: string;
}

const TEXTS = {
  same: "has the code of this build",
  other_sources: "has the instructions of this build; comments, names or paths of its sources differ",
  different: "has other code than this build",
} as const;

/** Compares the code of the contracts with the build, and how they refer to each other. */
export async function contractFindings(rpc: Rpc, contracts: ContractAddresses): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const name of CONTRACT_NAMES) {
    const subject = `${name} ${contracts[name]}`;
    const code = await fetchCode(rpc, contracts[name]);
    const match = code === "0x" ? undefined : matchCode(code, await builtContract(name));
    const text = match === undefined ? "is not a contract on this chain" : TEXTS[match];
    findings.push({ ok: match !== undefined && match !== "different", subject, text });
  }
  if (!findings.every(({ ok }) => ok)) return findings;
  const registry = await registryOf(rpc, contracts.EventTable);
  const ok = registry === contracts.SessionRegistry;
  const text = ok ? "asks this SessionRegistry" : `asks the SessionRegistry at ${registry}`;
  return [...findings, { ok, subject: `EventTable ${contracts.EventTable}`, text }];
}

async function registryOf(rpc: Rpc, table: Address): Promise<Address> {
  const response = await readContract(rpc, table, INTERFACES.EventTable.encodeFunctionData("registry"));
  return getAddress(String(INTERFACES.EventTable.decodeFunctionResult("registry", response)[0]));
}

/** The configured accounts and rules; what is unset is not compared. */
export interface Configured {
  readonly relayer?: Address | undefined;
  readonly administrator?: Address | undefined;
  readonly rules: ChainConfig["sessionRules"];
}

/** Compares roles and rules on chain with the configuration. */
export async function configurationFindings(
  rpc: Rpc,
  deployment: Deployment,
  { relayer, administrator, rules }: Configured,
): Promise<Finding[]> {
  const roles = new RelayerRoles(rpc, deployment);
  const findings: Finding[] = [];
  const compare = (subject: string, role: string, held: readonly ContractName[]): void => {
    const lacking = CONTRACT_NAMES.filter((name) => !held.includes(name));
    const ok = lacking.length === 0;
    const text = ok ? `has the ${role}'s role on all contracts` : `lacks the ${role}'s role on ${lacking.join(", ")}`;
    findings.push({ ok, subject, text });
  };
  if (relayer !== undefined) compare(`RELAYER_KEY ${relayer}`, "relayer", await roles.heldBy(relayer));
  if (administrator !== undefined)
    compare(`ADMIN_KEY ${administrator}`, "administrator", await roles.administeredBy(administrator));
  // Several relayers can share the contracts, each with a configuration of its own.
  const isOtherFine = (role: Role): boolean => role === "relayer" || administrator === undefined;
  const known = { relayer, administrator, registrar: administrator };
  for (const role of ["relayer", "administrator", "registrar"] as const) {
    for (const { address, contracts } of await roles.holders(role)) {
      if (address === known[role]) continue;
      const text = `has the ${role}'s role on ${contracts.join(", ")}`;
      findings.push({ ok: isOtherFine(role), subject: `another ${role} ${address}`, text });
    }
  }
  const onChain = await new SessionRegistryClient(rpc, deployment.contracts.SessionRegistry).rules();
  const wanted = rules ?? onChain;
  const ok = wanted.lifetime === onChain.lifetime && wanted.minimumToExtend === onChain.minimumToExtend;
  const found = `live ${onChain.lifetime} s and need more than ${onChain.minimumToExtend} s to be extended`;
  const text = ok ? found : `${found}, not ${wanted.lifetime} s and ${wanted.minimumToExtend} s`;
  findings.push({ ok, subject: "sessions", text });
  return findings;
}
