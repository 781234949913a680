import { zeroPadValue } from "ethers";
import type { AddressActivity, ExploredAddress } from "../responses.ts";
import type { Address, ContractName } from "../../chain/transaction.ts";
import { INTERFACES } from "../../chain/contracts/interfaces.ts";
import { NodeTransaction } from "../../chain/node/node-block.ts";
import { EventTableClient } from "../../chain/contracts/event-table-client.ts";
import { SessionRegistryClient } from "../../chain/contracts/session-registry-client.ts";
import { contractsWhere, type Role } from "../../chain/contracts/roles.ts";
import { BigQuantity, fetchHead, fetchQuantity, lookUp, query } from "../../chain/rpc/query.ts";
import type { PageRequest } from "./block-reader.ts";
import { type LogPosition, newestLogs } from "./newest-logs.ts";
import type { LogFilter, NodeLog } from "../../chain/node/log.ts";
import { fetchCode } from "../../chain/contracts/contract-code.ts";
import type { ExplorerSources } from "./sources.ts";

const { SessionRegistry } = INTERFACES;
/** Events with the account as second indexed argument. */
const SESSIONS_AND_ROLES = [
  SessionRegistry.getEvent("SessionOpened").topicHash,
  SessionRegistry.getEvent("RoleGranted").topicHash,
  SessionRegistry.getEvent("RoleRevoked").topicHash,
];
/** Arguments of events that a list omits. */
const LONG_ARGUMENTS = ["rowdata", "signature"];

/** Reads the roles of addresses and their activity from the events of the contracts. */
export class AddressReader {
  readonly #sources: ExplorerSources;

  constructor(sources: ExplorerSources) {
    this.#sources = sources;
  }

  async address(address: Address): Promise<ExploredAddress> {
    const [code, balance, sent, relays, administers, scope] = await Promise.all([
      fetchCode(this.#sources.rpc, address),
      query(this.#sources.rpc, BigQuantity, "eth_getBalance", [address, "latest"]),
      fetchQuantity(this.#sources.rpc, "eth_getTransactionCount", [address, "latest"]),
      this.#contractsWhere("relayer", address),
      this.#contractsWhere("administrator", address),
      this.#sources.sessions.scopeOf(address),
    ]);
    return {
      address,
      contract: this.#sources.names.contractAt(address),
      has_code: code !== "0x",
      relays,
      administers,
      scope,
      validator: this.#sources.validators.get(address.toLowerCase()),
      balance: balance.toString(),
      sent,
    };
  }

  /** Lists events of the contracts that concern an address, newest first; paged as anchors. */
  async activity(
    address: Address,
    { limit, cursor }: PageRequest<LogPosition>,
    source: string,
  ): Promise<AddressActivity> {
    const isContract = this.#sources.names.contractAt(address) !== undefined;
    const sends = !isContract && (await this.#sends(address));
    const search = {
      firstBlock: this.#sources.deployment.firstBlock,
      head: await fetchHead(this.#sources.rpc),
      limit,
      cursor,
    };
    const { logs, next } = await newestLogs(this.#sources.rpc, {
      ...search,
      filters: isContract
        ? [{ address: [address], topics: [] }]
        : sends
          ? [{ address: this.#contracts, topics: [] }]
          : this.#filtersOf(address),
      ...(sends ? { accept: (found) => this.#sentBy(address, found) } : {}),
    });
    const blocks = await this.#sources.blocks.summaries(logs.map(({ blockNumber }) => blockNumber));
    const decoded = await this.#sources.decoder.logs(source, logs);
    const activity = logs.flatMap(({ blockNumber, transactionHash }, index) => {
      const block = blocks.get(blockNumber);
      const log = decoded[index];
      if (block === undefined || log === undefined) return [];
      const { event } = log;
      const short = event && {
        ...event,
        arguments: event.arguments.filter(({ name }) => !LONG_ARGUMENTS.includes(name)),
      };
      return [{ tx_hash: transactionHash, block, address: log.address, event: short }];
    });
    return { activity, next };
  }

  get #contracts(): string[] {
    return Object.values(this.#sources.deployment.contracts);
  }

  /** Returns filters for events that contain an account in any position. */
  #filtersOf(address: Address): LogFilter[] {
    const topic = zeroPadValue(address, 32).toLowerCase();
    return [
      { address: this.#contracts, topics: [SessionRegistryClient.ACCOUNT_TOPICS, topic] },
      { address: this.#contracts, topics: [SESSIONS_AND_ROLES, null, topic] },
      { address: this.#contracts, topics: [EventTableClient.ROW_TOPIC, null, null, topic] },
    ];
  }

  /** Filters logs by sender: events do not contain the sender of their transaction. */
  async #sentBy(address: Address, logs: readonly NodeLog[]): Promise<readonly NodeLog[]> {
    const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))];
    const transactions = await Promise.all(
      hashes.map((hash) => lookUp(this.#sources.rpc, NodeTransaction, "eth_getTransactionByHash", [hash])),
    );
    const sent = new Set(
      transactions.flatMap((transaction) => (transaction?.from === address ? [transaction.hash] : [])),
    );
    return logs.filter(({ transactionHash }) => sent.has(transactionHash));
  }

  /** Returns whether an address sends to the contracts. */
  async #sends(address: Address): Promise<boolean> {
    const roles = ["relayer", "administrator"] as const;
    const held = await Promise.all(roles.map((role) => this.#contractsWhere(role, address)));
    return held.some((contracts) => contracts.length > 0);
  }

  #contractsWhere(role: Role, address: Address): Promise<ContractName[]> {
    return contractsWhere(this.#sources.rpc, this.#sources.deployment, role, address);
  }
}
