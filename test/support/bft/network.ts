import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { computeAddress, id, SigningKey } from "ethers";
import type { BftProtocol } from "../../../server/chain/evidence/consensus-seals.ts";
import { type TestValidators, testValidators } from "../bft-chain.ts";
import { startRawAnvil } from "../raw-anvil.ts";
import { BesuNode } from "./besu-node.ts";
import { Consensus, type Validator } from "./consensus.ts";
import { Ledger } from "./ledger.ts";
import { listenFor, type RpcListener } from "./rpc-listener.ts";

export interface BftNetworkOptions {
  readonly validators?: number;
  readonly protocol?: BftProtocol;
  /** Milliseconds. */
  readonly blockPeriod?: number;
  /** Milliseconds. */
  readonly requestTimeout?: number;
  /** Milliseconds before the end of its period at which a block is filled, as on GoQuorum; 0 as on Besu. */
  readonly fillsBefore?: number;
}

/** A node of a network, with its controls. */
export interface NetworkNode {
  readonly name: string;
  /** Lower-case. */
  readonly address: string;
  readonly http: string;
  readonly enode: string;
  readonly rpc: BesuNode;
  /** Whether it runs: a stopped validator neither proposes nor seals, nor responds. */
  isUp: boolean;
  /** Whether it proposes in its turn. */
  proposes: boolean;
  /** The lag of its responses, in blocks. */
  lag: number;
}

/** A network of validators that runs in the process of the tests. */
export interface BftNetwork {
  readonly protocol: BftProtocol;
  readonly chainId: number;
  readonly nodes: readonly NetworkNode[];
  readonly validators: TestValidators;
  readonly quorum: number;
  /** Number of the newest block. */
  readonly head: number;
  /** The value of VALIDATOR_NAMES. */
  readonly names: string;
  /** Partitions the nodes: each part is connected only within, unlisted nodes form one. No argument: no partition. */
  partition(...parts: readonly (readonly NetworkNode[])[]): void;
  /** A node that is on no list; connects with all nodes, or with none. */
  unlistedPeer: { isConnected: boolean; readonly enode: string };
  /** Restarts all validators, as operators do after a stall. */
  restart(): void;
  /** Writes the list of the network's nodes; returns its path. */
  writeNodeList(directory: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a network, by default with six validators, that makes a block every tenth of a second. */
export async function startBftNetwork({
  validators: count = 6,
  protocol = "ibft2",
  blockPeriod = 100,
  requestTimeout = 300,
  fillsBefore = 0,
}: BftNetworkOptions = {}): Promise<BftNetwork> {
  const anvil = await startRawAnvil(0, "london");
  const { keys } = testValidators(count);
  const sorted = keys
    .map((key) => ({ key, address: computeAddress(key).toLowerCase(), isUp: true, proposes: true, part: "" }))
    .sort((a, b) => (a.address < b.address ? -1 : 1)) satisfies Validator[];
  const validators: TestValidators = {
    keys: sorted.map(({ key }) => key),
    addresses: sorted.map(({ address }) => address),
  };
  const ledger = new Ledger(anvil.http, { protocol, validators }, blockPeriod);
  await ledger.start();
  const consensus = new Consensus({
    validators: sorted,
    blockPeriod,
    requestTimeout,
    fillsBefore,
    fill: () => ledger.fill(),
    async commit(agreement) {
      await ledger.commit(agreement);
    },
  });
  const unlistedPeers: SigningKey[] = [];
  const surroundings = {
    ledger,
    chainId: anvil.chainId,
    protocol,
    validators: sorted,
    quorum: consensus.quorum,
    unlistedPeers,
    around: (each: Validator) => consensus.around(each),
  };
  const besus = sorted.map((validator) => new BesuNode(validator, surroundings));
  const listeners: RpcListener[] = await Promise.all(besus.map(listenFor));
  const reconnect = (): void => besus.forEach((node) => void node.reconnect());

  const nodes = besus.map((rpc, index): NetworkNode => {
    const { validator } = rpc;
    const listener = listeners[index];
    if (listener === undefined) throw new Error("every node listens");
    return {
      name: `validator-${index + 1}`,
      address: validator.address,
      http: listener.http,
      enode: rpc.enodeOf(validator.key),
      rpc,
      get isUp() {
        return validator.isUp;
      },
      set isUp(value) {
        validator.isUp = value;
        listener.isUp = value;
        reconnect();
      },
      get proposes() {
        return validator.proposes;
      },
      set proposes(value) {
        validator.proposes = value;
      },
      get lag() {
        return rpc.lag;
      },
      set lag(value) {
        rpc.lag = value;
      },
    };
  });
  const outsider = new SigningKey(id("a node that is on no list"));
  consensus.start(1);
  return {
    protocol,
    chainId: anvil.chainId,
    nodes,
    validators,
    quorum: consensus.quorum,
    get head() {
      return ledger.head;
    },
    names: nodes.map(({ address, name }) => `${address}=${name}`).join(","),
    partition(...parts) {
      for (const validator of sorted) validator.part = "";
      for (const [number, part] of parts.entries()) for (const { rpc } of part) rpc.validator.part = `part ${number}`;
      reconnect();
    },
    unlistedPeer: {
      enode: besus[0]?.enodeOf(outsider) ?? "",
      get isConnected() {
        return unlistedPeers.length > 0;
      },
      set isConnected(value) {
        unlistedPeers.splice(0, unlistedPeers.length, ...(value ? [outsider] : []));
      },
    },
    restart: () => consensus.restart(),
    async writeNodeList(directory) {
      const path = join(directory, "static-nodes.json");
      await writeFile(path, JSON.stringify(nodes.map(({ enode }) => enode)));
      return path;
    },
    async stop() {
      await consensus.stop();
      await Promise.all(listeners.map((listener) => listener.close()));
      await anvil.stop();
    },
  };
}
