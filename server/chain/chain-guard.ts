import { SealbookError } from "../errors.ts";
import { type ChainIdentity, differenceOf, fetchIdentity, isDeployed } from "./identity.ts";
import { IdentifiedRpc } from "./rpc/identified-rpc.ts";
import { type Rpc, unavailable, WrongChainError } from "./rpc/rpc.ts";
import type { ContractAddresses } from "./transaction.ts";

/** The recorded identity of the chain. */
export interface ChainIdentityStore {
  read(): Promise<ChainIdentity | undefined>;
  /** Records the identity unless there is one; returns the recorded one. */
  record(identity: ChainIdentity): Promise<ChainIdentity>;
}

/**
 * Keeps the server on the chain that its journal belongs to. The first connection records the chain's identity; from
 * then on, calls to a node of any other chain fail.
 */
export class ChainGuard {
  readonly #store: ChainIdentityStore;
  #recorded: ChainIdentity | undefined;
  #contracts: ContractAddresses | undefined;

  private constructor(store: ChainIdentityStore, recorded: ChainIdentity | undefined) {
    this.#store = store;
    this.#recorded = recorded;
  }

  static async open(store: ChainIdentityStore): Promise<ChainGuard> {
    return new ChainGuard(store, await store.read());
  }

  /** Whether an earlier connection recorded the chain's identity. */
  get isRecorded(): boolean {
    return this.#recorded !== undefined;
  }

  /** Returns a connection that reaches nodes of the journal's chain only. */
  guard(rpc: Rpc): Rpc {
    return new IdentifiedRpc(rpc, (inner) => this.#identify(inner));
  }

  /**
   * Sets the deployed contracts; checks begin with it.
   * @throws SealbookError `conflict` when the journal belongs to other contracts
   */
  begin(contracts: ContractAddresses): void {
    this.#contracts = contracts;
    for (const [name, { address }] of Object.entries(this.#recorded?.contracts ?? {})) {
      if (Object.entries(contracts).some(([other, at]) => other === name && at !== address))
        throw new SealbookError(
          "conflict",
          `the journal belongs to ${name} at ${address}, but the deployment file names another address; ` +
            "use the journal and the deployment file of one installation",
        );
    }
  }

  async #identify(rpc: Rpc): Promise<void> {
    if (this.#contracts === undefined) return;
    const found = await fetchIdentity(rpc, this.#contracts);
    const expected = this.#recorded ?? (await this.#record(rpc, found));
    const difference = differenceOf(expected, found);
    if (difference !== undefined) throw wrongChain(difference);
  }

  async #record(rpc: Rpc, found: ChainIdentity): Promise<ChainIdentity> {
    if (found.chainId !== rpc.chainId) throw wrongChain(`its chain id is ${found.chainId}, not ${rpc.chainId}`);
    if (!isDeployed(found)) throw wrongChain("it does not have the contracts of the deployment file");
    this.#recorded ??= await this.#store.record(found);
    return this.#recorded;
  }
}

function wrongChain(difference: string): SealbookError {
  return unavailable(new WrongChainError(`the node serves another chain: ${difference}`));
}
