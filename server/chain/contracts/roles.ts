import { id, ZeroHash } from "ethers";
import { SealbookError } from "../../errors.ts";
import type { Rpc } from "../rpc/rpc.ts";
import { type Address, CONTRACT_NAMES, type ContractName } from "../transaction.ts";
import type { Deployment } from "./deployment.ts";
import { INTERFACES, readContract } from "./interfaces.ts";

/** The access control is the same in all three contracts. */
const ACCESS = INTERFACES.ProofAnchor;
/** The identifiers of the roles on chain. Only the SessionRegistry has registrars. */
export const ROLES = { administrator: ZeroHash, registrar: id("REGISTRAR_ROLE"), relayer: id("RELAYER_ROLE") } as const;

/** A role of the contracts. */
export type Role = keyof typeof ROLES;

/** Returns the contracts of a deployment on which an address has a role. */
export async function contractsWhere(
  rpc: Rpc,
  { contracts }: Pick<Deployment, "contracts">,
  role: Role,
  address: Address,
): Promise<ContractName[]> {
  const data = ACCESS.encodeFunctionData("hasRole", [ROLES[role], address]);
  const held = await Promise.all(
    CONTRACT_NAMES.map(async (contract) => {
      const response = await readContract(rpc, contracts[contract], data);
      return Boolean(ACCESS.decodeFunctionResult("hasRole", response)[0]);
    }),
  );
  return CONTRACT_NAMES.filter((_, index) => held[index]);
}

/** Returns what a relayer lacks that may not write to all contracts, and what to do; `undefined` when it may. */
export function missingRole(relayer: Address, lacking: readonly ContractName[]): string | undefined {
  if (lacking.length === 0) return undefined;
  return (
    `the relayer ${relayer} may not write to ${lacking.join(", ")}; the administrator grants the role with ` +
    `\`npx sealbook relayer grant ${relayer}\``
  );
}

/** Returns the error of a call that the contract rejects because of the relayer: its operators mend it, not callers. */
export function relayerRefused(): SealbookError {
  return new SealbookError(
    "chain_unavailable",
    "the server's relayer may not write to the contract; its operators grant it the role",
    { retryAfterSeconds: 60 },
  );
}
