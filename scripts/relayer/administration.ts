import { type BaseWallet, getAddress } from "ethers";
import type { Deployment } from "../../server/chain/contracts/deployment.ts";
import { INTERFACES, readContract } from "../../server/chain/contracts/interfaces.ts";
import { fetchNewestBlock, NodeBlock } from "../../server/chain/node/node-block.ts";
import type { Rpc } from "../../server/chain/rpc/rpc.ts";
import { type Address, CONTRACT_NAMES, type ContractName } from "../../server/chain/transaction.ts";
import { sendAdministratorCall } from "../../server/chain/transactions/administrator-call.ts";
import type { FeeConfig } from "../../server/chain/transactions/fees.ts";

/** The rules of the administrator are the same in all three contracts. */
const ABI = INTERFACES.ProofAnchor;

/** Who administers a contract. */
export interface ContractAdministrator {
  readonly contract: ContractName;
  readonly administrator: Address;
  /** Seconds between the two steps of a transfer. */
  readonly delaySeconds: number;
  /** A transfer that its new administrator has not accepted. */
  readonly pending:
    | {
        readonly administrator: Address;
        /** Unix seconds: it can be accepted in a later block. */
        readonly acceptableAfter: number;
      }
    | undefined;
}

/** The administrator's role on each of a deployment's contracts. */
export class Administration {
  readonly #rpc: Rpc;
  readonly #deployment: Deployment;
  readonly #fees: FeeConfig;

  constructor(rpc: Rpc, deployment: Deployment, fees: FeeConfig) {
    this.#rpc = rpc;
    this.#deployment = deployment;
    this.#fees = fees;
  }

  list(): Promise<ContractAdministrator[]> {
    return Promise.all(CONTRACT_NAMES.map((contract) => this.#of(contract)));
  }

  /** Time of the newest block, in Unix seconds. */
  async now(): Promise<number> {
    return (await fetchNewestBlock(this.#rpc, NodeBlock.pick({ timestamp: true }))).timestamp;
  }

  /** First step: proposes a new administrator, and replaces an earlier proposal. */
  begin(contract: ContractName, to: Address, by: BaseWallet): Promise<void> {
    return this.#send(contract, ABI.encodeFunctionData("beginDefaultAdminTransfer", [to]), by);
  }

  /** Second step, by the new administrator. */
  accept(contract: ContractName, by: BaseWallet): Promise<void> {
    return this.#send(contract, ABI.encodeFunctionData("acceptDefaultAdminTransfer"), by);
  }

  cancel(contract: ContractName, by: BaseWallet): Promise<void> {
    return this.#send(contract, ABI.encodeFunctionData("cancelDefaultAdminTransfer"), by);
  }

  async #of(contract: ContractName): Promise<ContractAdministrator> {
    const read = (name: "defaultAdmin" | "defaultAdminDelay" | "pendingDefaultAdmin") =>
      readContract(this.#rpc, this.#deployment.contracts[contract], ABI.encodeFunctionData(name as "defaultAdmin"));
    const [current, delay, pending] = await Promise.all([
      read("defaultAdmin"),
      read("defaultAdminDelay"),
      read("pendingDefaultAdmin"),
    ]);
    const [newAdmin, schedule] = ABI.decodeFunctionResult("pendingDefaultAdmin", pending);
    const isPending = Number(schedule) !== 0;
    return {
      contract,
      administrator: getAddress(String(ABI.decodeFunctionResult("defaultAdmin", current)[0])),
      delaySeconds: Number(ABI.decodeFunctionResult("defaultAdminDelay", delay)[0]),
      pending: isPending
        ? { administrator: getAddress(String(newAdmin)), acceptableAfter: Number(schedule) }
        : undefined,
    };
  }

  async #send(contract: ContractName, data: string, by: BaseWallet): Promise<void> {
    const to = this.#deployment.contracts[contract];
    await sendAdministratorCall(this.#rpc, by, { to, data, fees: this.#fees });
  }
}
