import { type NetworkFault, networkFaults } from "../chain/consensus/network-faults.ts";
import type { ChainEvents } from "../chain/events.ts";
import type { NodeInspector, NodeReport } from "../chain/node/node-inspector.ts";
import { isWrongChain } from "../chain/rpc/rpc.ts";
import { feeFaults } from "../chain/transactions/fees.ts";
import { SealbookError } from "../errors.ts";
import { every, type Interval } from "../kit/time.ts";
import { CHECKS_TO_RAISE, Debounce } from "./alert.ts";
import { syncLoss } from "./sync-loss.ts";

const INTERVAL_MILLISECONDS = 5_000;
const UNREACHABLE = "the chain's node does not respond";

export interface NodeMonitorDeps {
  readonly inspect: NodeInspector;
  readonly telemetry: Pick<
    ChainEvents,
    | "nodeDown"
    | "nodeUp"
    | "nodeConsistent"
    | "wrongChain"
    | "rightChain"
    | "syncLost"
    | "syncRegained"
    | "networkFaults"
  >;
  /** Whether the chain makes blocks when no transaction waits. */
  readonly regularBlocks: boolean;
  /** Age of the newest block from which the node counts as out of sync. */
  readonly staleSeconds: number;
  readonly intervalMilliseconds?: number | undefined;
}

/** Checks regularly whether the chain's node responds, is in sync, and which faults its network has. */
export class NodeMonitor {
  readonly #deps: NodeMonitorDeps;
  readonly #down = new Debounce();
  readonly #wrong = new Debounce();
  readonly #lost = new Debounce();
  /** By subject. */
  readonly #faults = new Map<string, { readonly debounce: Debounce; fault: NetworkFault }>();
  #checks = 0;
  #interval: Interval | undefined;

  constructor(deps: NodeMonitorDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#interval = every(this.#deps.intervalMilliseconds ?? INTERVAL_MILLISECONDS, () => this.#check());
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  async #check(): Promise<void> {
    const { inspect, telemetry, regularBlocks, staleSeconds } = this.#deps;
    let failure = UNREACHABLE;
    let isWrong = false;
    const report = await inspect().catch((error: unknown) => {
      if (error instanceof SealbookError) failure = error.message;
      isWrong = isWrongChain(error);
    });
    if (this.#wrong.update(isWrong)) telemetry.wrongChain(failure);
    else telemetry.rightChain();
    if (this.#down.update(report === undefined && !isWrong)) telemetry.nodeDown(failure);
    else telemetry.nodeUp();
    telemetry.nodeConsistent();
    if (!report) return;
    const reason = syncLoss(report, regularBlocks, staleSeconds);
    if (this.#lost.update(reason !== undefined)) telemetry.syncLost(reason ?? "the node is out of sync");
    else telemetry.syncRegained();
    const lasting = this.#lastingFaults(report);
    // Earlier it is unknown whether faults from before a restart last.
    if (++this.#checks >= CHECKS_TO_RAISE) telemetry.networkFaults(lasting);
  }

  /** Returns the network's faults that several checks in a row have found. */
  #lastingFaults({ consensus, network, peers, addresses, relayer, balance, fee }: NodeReport): readonly NetworkFault[] {
    const { bft } = consensus;
    const ofNetwork = networkFaults({
      validators: consensus.validators,
      participation: bft?.participation ?? [],
      stall: bft?.pace === "stalled" ? bft : undefined,
      peers: { ...network, count: peers },
      addresses,
    });
    const found = [...ofNetwork, ...feeFaults(relayer, balance, fee)];
    for (const fault of found) {
      const known = this.#faults.get(fault.subject);
      if (known === undefined) this.#faults.set(fault.subject, { debounce: new Debounce(), fault });
      else known.fault = fault;
    }
    const subjects = new Set(found.map(({ subject }) => subject));
    return [...this.#faults].flatMap(([subject, { debounce, fault }]) => {
      if (debounce.update(subjects.has(subject))) return [fault];
      if (!subjects.has(subject)) this.#faults.delete(subject);
      return [];
    });
  }
}
