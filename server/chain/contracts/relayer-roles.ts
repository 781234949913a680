import { type BaseWallet, getAddress, id, ZeroHash } from "ethers";
import type { Address, ContractName } from "../transaction.ts";
import { INTERFACES, readContract } from "./interfaces.ts";
import type { Deployment } from "./deployment.ts";
import { sendAdministratorCall } from "../transactions/administrator-call.ts";
import { fetchQuantity } from "../rpc/query.ts";
import { NodeError, type Rpc } from "../rpc/rpc.ts";
import { fetchLogs } from "../node/log.ts";

/** The part that has to do with roles is the same in all three contracts. */
const ACCESS = INTERFACES.ProofAnchor;
const RELAYER_ROLE = id("RELAYER_ROLE");
const GRANTED = ACCESS.getEvent("RoleGranted").topicHash;

/** Who writes to the contracts. */
export interface Relayer {
  readonly address: Address;
  /** Where it holds the relayer's role. */
  readonly contracts: readonly ContractName[];
  /** Whether it administers a contract as well. */
  readonly administrator: boolean;
}

/** The relayer's role on each of a deployment's contracts. */
export class RelayerRoles {
  readonly #rpc: Rpc;
  readonly #deployment: Deployment;

  constructor(rpc: Rpc, deployment: Deployment) {
    this.#rpc = rpc;
    this.#deployment = deployment;
  }

  /** The contracts that a relayer writes to. */
  get contracts(): readonly ContractName[] {
    return ["SessionRegistry", "EventTable", "ProofAnchor"];
  }

  addressOf(contract: ContractName): Address {
    return this.#deployment.contracts[contract];
  }

  /** Whoever holds the role anywhere now, those who were given it first before the others. */
  async list(): Promise<Relayer[]> {
    const head = await fetchQuantity(this.#rpc, "eth_blockNumber", []);
    const found: Relayer[] = [];
    // Events say who may hold it; whether somebody still does, the contracts themselves say.
    for (const address of await this.#everGranted(this.#deployment.firstBlock, head)) {
      const contracts = await this.heldBy(address);
      if (contracts.length > 0) found.push({ address, contracts, administrator: await this.#administersAny(address) });
    }
    return found;
  }

  /** The contracts on which an address holds the role. */
  heldBy(address: Address): Promise<ContractName[]> {
    return this.#contractsWhere(RELAYER_ROLE, address);
  }

  /** The contracts whose roles an address gives and takes. */
  administeredBy(address: Address): Promise<ContractName[]> {
    return this.#contractsWhere(ZeroHash, address);
  }

  /** Gives or takes the role on one contract, and waits until the chain has it. */
  async change(
    change: "grant" | "revoke",
    contract: ContractName,
    address: Address,
    by: BaseWallet,
    gasPrice: bigint,
  ): Promise<void> {
    const what: [string, Address] = [RELAYER_ROLE, address];
    const data =
      change === "grant" ? ACCESS.encodeFunctionData("grantRole", what) : ACCESS.encodeFunctionData("revokeRole", what);
    await sendAdministratorCall(this.#rpc, by, { to: this.addressOf(contract), data, gasPrice });
  }

  async #administersAny(address: Address): Promise<boolean> {
    return (await this.administeredBy(address)).length > 0;
  }

  async #contractsWhere(role: string, address: Address): Promise<ContractName[]> {
    const data = ACCESS.encodeFunctionData("hasRole", [role, address]);
    const held = await Promise.all(
      this.contracts.map(async (contract) => {
        const answer = await readContract(this.#rpc, this.addressOf(contract), data);
        return Boolean(ACCESS.decodeFunctionResult("hasRole", answer)[0]);
      }),
    );
    return this.contracts.filter((_, index) => held[index]);
  }

  /** Nodes differ in how many blocks one query may span; one that is refused is halved. */
  async #everGranted(first: number, last: number): Promise<Set<Address>> {
    try {
      return await this.#grantedIn(first, last);
    } catch (error) {
      if (!(error instanceof NodeError) || first >= last) throw error;
      const middle = Math.floor((first + last) / 2);
      const early = await this.#everGranted(first, middle);
      return new Set([...early, ...(await this.#everGranted(middle + 1, last))]);
    }
  }

  async #grantedIn(first: number, last: number): Promise<Set<Address>> {
    const filter = {
      address: this.contracts.map((contract) => this.addressOf(contract)),
      topics: [GRANTED, RELAYER_ROLE],
    };
    return new Set(
      (await fetchLogs(this.#rpc, filter, first, last)).flatMap((log) => {
        const account: unknown = ACCESS.parseLog(log)?.args.getValue("account");
        return typeof account === "string" ? [getAddress(account)] : [];
      }),
    );
  }
}
