import { SealbookError } from "../errors.ts";
import { type ChainIdentity, differenceOf, fetchIdentity, isDeployed } from "./identity.ts";
import { IdentifiedRpc } from "./rpc/identified-rpc.ts";
import { type Rpc, unavailable, WrongChainError } from "./rpc/rpc.ts";
import type { Address, ContractAddresses } from "./transaction.ts";

/** The recorded identity of the chain. */
export interface ChainIdentityStore {
  read(): Promise<ChainIdentity | undefined>;
  /** Records the identity unless there is one; returns the recorded one. */
  record(identity: ChainIdentity): Promise<ChainIdentity>;
  /** Replaces the contracts of the recorded identity. */
  replaceContracts(contracts: ChainIdentity["contracts"]): Promise<void>;
}

/**
 * Keeps the server on the chain that its journal belongs to. The first connection records the chain's identity; from
 * then on, calls to a node of any other chain fail.
 */
export class ChainGuard {
  readonly #store: ChainIdentityStore;
  readonly #newestContract: Address | undefined;
  #recorded: ChainIdentity | undefined;
  #contracts: ContractAddresses | undefined;
  /** Whether other contracts than the recorded ones are to be recorded. */
  #isReplacing = false;

  private constructor(
    store: ChainIdentityStore,
    recorded: ChainIdentity | undefined,
    newestContract: Address | undefined,
  ) {
    this.#store = store;
    this.#newestContract = newestContract;
    this.#recorded = recorded;
  }

  /** @param newestContract The contract of the newest anchor: all that a restored journal has of its contracts */
  static async open(store: ChainIdentityStore, newestContract?: Address): Promise<ChainGuard> {
    return new ChainGuard(store, await store.read(), newestContract);
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
   * @param mayReplace Whether the journal may continue with other contracts than before, on the same chain
   * @throws SealbookError `conflict` when the journal belongs to other contracts
   */
  begin(contracts: ContractAddresses, mayReplace: boolean): void {
    this.#contracts = contracts;
    const newest = this.#recorded === undefined ? this.#newestContract : undefined;
    if (newest !== undefined && newest !== contracts.ProofAnchor && !mayReplace)
      throw otherContract("ProofAnchor", newest, contracts.ProofAnchor);
    for (const [name, { address }] of Object.entries(this.#recorded?.contracts ?? {})) {
      const other = Object.entries(contracts).find(([each, at]) => each === name && at !== address)?.[1];
      if (other === undefined) continue;
      if (!mayReplace) throw otherContract(name, address, other);
      this.#isReplacing = true;
    }
  }

  /** @returns whether it was compared */
  async #identify(rpc: Rpc): Promise<boolean> {
    if (this.#contracts === undefined) return false;
    const found = await fetchIdentity(rpc, this.#contracts);
    const recorded = this.#recorded ?? (await this.#record(rpc, found));
    const expected = this.#isReplacing ? { ...recorded, contracts: found.contracts } : recorded;
    const difference = differenceOf(expected, found);
    if (difference !== undefined) throw wrongChain(difference);
    if (!this.#isReplacing) return true;
    await this.#store.replaceContracts(found.contracts);
    this.#recorded = found;
    this.#isReplacing = false;
    return true;
  }

  async #record(rpc: Rpc, found: ChainIdentity): Promise<ChainIdentity> {
    if (found.chainId !== rpc.chainId) throw wrongChain(`its chain id is ${found.chainId}, not ${rpc.chainId}`);
    if (!isDeployed(found)) throw wrongChain("it does not have the contracts of the deployment file");
    this.#recorded ??= await this.#store.record(found);
    return this.#recorded;
  }
}

/** The error when the journal's contract is another one than that of the deployment file. */
function otherContract(name: string, journal: string, found: string): SealbookError {
  return new SealbookError(
    "conflict",
    `the journal belongs to ${name} at ${journal}, but the deployment file names ${found}; use the deployment file ` +
      "of this journal, or set NEW_CONTRACTS=yes to continue with the new contracts; former proofs stay valid",
  );
}

function wrongChain(difference: string): SealbookError {
  return unavailable(new WrongChainError(`the node serves another chain: ${difference}`));
}
