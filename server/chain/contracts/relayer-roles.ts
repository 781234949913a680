import { type BaseWallet, getAddress, id, ZeroHash } from "ethers";
import { type Address, CONTRACT_NAMES, type ContractName } from "../transaction.ts";
import { INTERFACES, readContract } from "./interfaces.ts";
import type { Deployment } from "./deployment.ts";
import { sendAdministratorCall } from "../transactions/administrator-call.ts";
import type { FeeConfig } from "../transactions/fees.ts";
import { fetchHead } from "../rpc/query.ts";
import { ContradictionError, LaggingError, type Rpc, unavailable } from "../rpc/rpc.ts";
import { fetchLogs } from "../node/log.ts";
import { SealbookError } from "../../errors.ts";

/** The access control is the same in all three contracts. */
const ACCESS = INTERFACES.ProofAnchor;
/** The identifiers of the roles on chain. */
const ROLES = { administrator: ZeroHash, registrar: id("REGISTRAR_ROLE"), relayer: id("RELAYER_ROLE") } as const;
const GRANTED = ACCESS.getEvent("RoleGranted").topicHash;

/** A role of the contracts; only the SessionRegistry has registrars. */
export type Role = keyof typeof ROLES;

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

  /** The contracts that a relayer writes to. */
  get contracts(): readonly ContractName[] {
    return CONTRACT_NAMES;
  }

  addressOf(contract: ContractName): Address {
    return this.#deployment.contracts[contract];
  }

  /** Lists all current relayers, in the order of their first grant. */
  async list(): Promise<Relayer[]> {
    const holders = await this.holders("relayer");
    return Promise.all(
      holders.map(async (holder) => ({ ...holder, administrator: await this.#administersAny(holder.address) })),
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
      const contracts = await this.#contractsWhere(ROLES[role], address);
      if (contracts.length > 0) found.push({ address, contracts });
    }
    return found;
  }

  /** Returns the contracts on which an address has the relayer's role. */
  heldBy(address: Address): Promise<ContractName[]> {
    return this.#contractsWhere(ROLES.relayer, address);
  }

  /** Returns the contracts on which an address can grant and revoke roles. */
  administeredBy(address: Address): Promise<ContractName[]> {
    return this.#contractsWhere(ROLES.administrator, address);
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
    await sendAdministratorCall(this.#rpc, by, { to: this.addressOf(contract), data, fees });
  }

  async #administersAny(address: Address): Promise<boolean> {
    return (await this.administeredBy(address)).length > 0;
  }

  async #contractsWhere(role: string, address: Address): Promise<ContractName[]> {
    const data = ACCESS.encodeFunctionData("hasRole", [role, address]);
    const held = await Promise.all(
      this.contracts.map(async (contract) => {
        const response = await readContract(this.#rpc, this.addressOf(contract), data);
        return Boolean(ACCESS.decodeFunctionResult("hasRole", response)[0]);
      }),
    );
    return this.contracts.filter((_, index) => held[index]);
  }

  /** Fetches all addresses that ever had a role. */
  async #grantedIn(role: string, first: number, last: number): Promise<Set<Address>> {
    const filter = {
      address: this.contracts.map((contract) => this.addressOf(contract)),
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
