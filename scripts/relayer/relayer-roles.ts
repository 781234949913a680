import { type BaseWallet, getAddress } from "ethers";
import type { Deployment } from "../../server/chain/contracts/deployment.ts";
import { INTERFACES } from "../../server/chain/contracts/interfaces.ts";
import { contractsWhere, type Role, ROLES } from "../../server/chain/contracts/roles.ts";
import { fetchLogs } from "../../server/chain/node/log.ts";
import { fetchHead } from "../../server/chain/rpc/query.ts";
import { ContradictionError, LaggingError, type Rpc, unavailable } from "../../server/chain/rpc/rpc.ts";
import { type Address, CONTRACT_NAMES, type ContractName } from "../../server/chain/transaction.ts";
import { sendAdministratorCall } from "../../server/chain/transactions/administrator-call.ts";
import type { FeeConfig } from "../../server/chain/transactions/fees.ts";

/** The access control is the same in all three contracts. */
const ACCESS = INTERFACES.ProofAnchor;
const GRANTED = ACCESS.getEvent("RoleGranted").topicHash;

/** An account that has a role. */
export interface RoleHolder {
  readonly address: Address;
  /** The contracts on which it has the role. */
  readonly contracts: readonly ContractName[];
}

/** An account that writes to the contracts. */
export interface Relayer extends RoleHolder {
  /** Whether it administers a contract as well. */
  readonly administrator: boolean;
}

/** The roles on each of a deployment's contracts, and the change of the relayer's. */
export class RelayerRoles {
  readonly #rpc: Rpc;
  readonly #deployment: Deployment;

  constructor(rpc: Rpc, deployment: Deployment) {
    this.#rpc = rpc;
    this.#deployment = deployment;
  }

  /** Lists all current relayers, in the order of their first grant. */
  async list(): Promise<Relayer[]> {
    const holders = await this.holders("relayer");
    return Promise.all(
      holders.map(async (holder) => ({
        ...holder,
        administrator: (await this.administeredBy(holder.address)).length > 0,
      })),
    );
  }

  /** Lists all current holders of a role, in the order of their first grant. */
  async holders(role: Role): Promise<RoleHolder[]> {
    const { firstBlock } = this.#deployment;
    const head = await fetchHead(this.#rpc);
    if (head < firstBlock)
      throw unavailable(
        new LaggingError(`the node has blocks to ${head} only; the contracts are of block ${firstBlock}`),
      );
    // Events contain all addresses that ever had the role; the contracts return the current holders.
    const granted = await this.#grantedIn(ROLES[role], firstBlock, head);
    // Each constructor grants the roles of the administrator and the relayer.
    if (granted.size === 0 && role !== "registrar")
      throw unavailable(new ContradictionError("the node does not return the events of the contracts' deployment"));
    const found: RoleHolder[] = [];
    for (const address of granted) {
      const contracts = await contractsWhere(this.#rpc, this.#deployment, role, address);
      if (contracts.length > 0) found.push({ address, contracts });
    }
    return found;
  }

  /** Returns the contracts on which an address has the relayer's role. */
  heldBy(address: Address): Promise<ContractName[]> {
    return contractsWhere(this.#rpc, this.#deployment, "relayer", address);
  }

  /** Returns the contracts on which an address can grant and revoke roles. */
  administeredBy(address: Address): Promise<ContractName[]> {
    return contractsWhere(this.#rpc, this.#deployment, "administrator", address);
  }

  /** Grants or revokes the relayer's role on one contract, and waits for the confirmation. */
  async change(
    change: "grant" | "revoke",
    contract: ContractName,
    address: Address,
    by: BaseWallet,
    fees: FeeConfig,
  ): Promise<void> {
    const what: [string, Address] = [ROLES.relayer, address];
    const data =
      change === "grant" ? ACCESS.encodeFunctionData("grantRole", what) : ACCESS.encodeFunctionData("revokeRole", what);
    await sendAdministratorCall(this.#rpc, by, { to: this.#deployment.contracts[contract], data, fees });
  }

  /** Fetches all addresses that ever had a role. */
  async #grantedIn(role: string, first: number, last: number): Promise<Set<Address>> {
    const filter = {
      address: CONTRACT_NAMES.map((contract) => this.#deployment.contracts[contract]),
      topics: [GRANTED, role],
    };
    return new Set(
      (await fetchLogs(this.#rpc, filter, first, last)).flatMap((log) => {
        const account: unknown = ACCESS.parseLog(log)?.args.getValue("account");
        return typeof account === "string" ? [getAddress(account)] : [];
      }),
    );
  }
}
