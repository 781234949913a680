import { setTimeout as sleep } from "node:timers/promises";
import { hexlify, keccak256 } from "ethers";
import { CONTRACT_NAMES, type ContractAddresses, type ContractName, type Address } from "./transaction.ts";
import { fetchBlock, NodeBlock } from "./node/node-block.ts";
import { Code, fetchChainIdOf, query } from "./rpc/query.ts";
import { nodeErrorIn, type Rpc, unavailable, WrongChainError } from "./rpc/rpc.ts";
import { SealbookError } from "../errors.ts";
import { IdentifiedRpc } from "./rpc/identified-rpc.ts";

/** A contract and its code. */
interface ContractIdentity {
  readonly address: string;
  /** keccak-256 of the code, `0x` hex. */
  readonly codeHash: string;
}

/** Identifies a chain, also among chains with the same chain id. */
export interface ChainIdentity {
  readonly chainId: number;
  /** Hash of block 0, `0x` hex. */
  readonly genesisHash: string;
  readonly contracts: Readonly<Record<ContractName, ContractIdentity>>;
}

const EMPTY_CODE = keccak256("0x");
/**
 * A node that keeps the newest state only rejects a query for it when a block is mined in the meantime. A healthy node
 * of Besu once returned no code for a moment.
 */
const ATTEMPTS = 5;
const PAUSE_MILLISECONDS = 200;

/**
 * Fetches the identity of the chain that a node serves.
 * @throws SealbookError `chain_unavailable`
 */
export async function fetchIdentity(rpc: Pick<Rpc, "call">, addresses: ContractAddresses): Promise<ChainIdentity> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const found = await fetchOnce(rpc, addresses);
      if (isDeployed(found) || attempt === ATTEMPTS) return found;
      await sleep(PAUSE_MILLISECONDS);
    } catch (error) {
      if (nodeErrorIn(error) === undefined || attempt === ATTEMPTS) throw error;
    }
  }
}

async function fetchOnce(rpc: Pick<Rpc, "call">, addresses: ContractAddresses): Promise<ChainIdentity> {
  const [chainId, genesis, ...hashes] = await Promise.all([
    fetchChainIdOf(rpc),
    fetchBlock(rpc, 0, NodeBlock.pick({ hash: true })),
    ...CONTRACT_NAMES.map(async (name) =>
      keccak256(await query(rpc, Code, "eth_getCode", [addresses[name], "latest"])),
    ),
  ]);
  if (genesis === undefined) throw unavailable(new Error("the node does not have block 0"));
  const contract = (index: number): ContractIdentity => ({
    address: addresses[CONTRACT_NAMES[index] ?? "ProofAnchor"],
    codeHash: hexlify(hashes[index] ?? EMPTY_CODE),
  });
  return {
    chainId,
    genesisHash: genesis.hash,
    contracts: { SessionRegistry: contract(0), EventTable: contract(1), ProofAnchor: contract(2) },
  };
}

/** Returns whether the chain has every contract. */
export function isDeployed({ contracts }: ChainIdentity): boolean {
  return Object.values(contracts).every(({ codeHash }) => codeHash !== EMPTY_CODE);
}

/** Returns how a chain differs from the expected one; `undefined` when it does not. */
function differenceOf(expected: ChainIdentity, found: ChainIdentity): string | undefined {
  if (found.chainId !== expected.chainId) return `its chain id is ${found.chainId}, not ${expected.chainId}`;
  if (found.genesisHash !== expected.genesisHash)
    return `the hash of its block 0 is ${found.genesisHash}, not ${expected.genesisHash}`;
  for (const name of CONTRACT_NAMES) {
    const [is, was] = [found.contracts[name], expected.contracts[name]];
    if (is.address !== was.address) return `${name} is at ${is.address}, not at ${was.address}`;
    if (is.codeHash === EMPTY_CODE) return `it has no ${name} at ${is.address}`;
    if (is.codeHash !== was.codeHash) return `the code of ${name} at ${is.address} is another one`;
  }
  return undefined;
}

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
  readonly #newestContract: Address | undefined;
  #recorded: ChainIdentity | undefined;
  #contracts: ContractAddresses | undefined;

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
   * @throws SealbookError `conflict` when the journal belongs to other contracts
   */
  begin(contracts: ContractAddresses): void {
    this.#contracts = contracts;
    const newest = this.#recorded === undefined ? this.#newestContract : undefined;
    if (newest !== undefined && newest !== contracts.ProofAnchor)
      throw otherContract("ProofAnchor", newest, contracts.ProofAnchor);
    for (const [name, { address }] of Object.entries(this.#recorded?.contracts ?? {})) {
      const other = Object.entries(contracts).find(([each, at]) => each === name && at !== address)?.[1];
      if (other !== undefined) throw otherContract(name, address, other);
    }
  }

  /** @returns whether it was compared */
  async #identify(rpc: Rpc): Promise<boolean> {
    if (this.#contracts === undefined) return false;
    const found = await fetchIdentity(rpc, this.#contracts);
    const difference = differenceOf(this.#recorded ?? (await this.#record(rpc, found)), found);
    if (difference !== undefined) throw wrongChain(difference);
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
      "of this journal; new contracts are a new installation, with a DATA_DIR and a DATABASE_URL of its own: " +
      "docs/operate.md#other-contracts",
  );
}

function wrongChain(difference: string): SealbookError {
  return unavailable(new WrongChainError(`the node serves another chain: ${difference}`));
}
