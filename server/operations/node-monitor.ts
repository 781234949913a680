import { type NetworkFault, networkFaults } from "../chain/consensus/network-faults.ts";
import type { NodeInspector, NodeReport } from "../chain/node/node-report.ts";
import type { ChainEvents } from "../chain/events.ts";
import { SealbookError } from "../errors.ts";
import { LOOKS_TO_RAISE, Steady } from "./debounce.ts";
import { syncLoss } from "./sync-loss.ts";

const LOOK_MILLISECONDS = 5_000;
const NO_ANSWER = "the chain's node does not answer";

export interface NodeMonitorDeps {
  readonly inspect: NodeInspector;
  readonly telemetry: Pick<ChainEvents, "nodeDown" | "nodeUp" | "syncLost" | "syncRegained" | "networkFaults">;
  /** Whether blocks come without anybody asking for them. */
  readonly regularBlocks: boolean;
  /** Blocks older than this mean that the network makes none any more, or that the node does not hear of them. */
  readonly staleSeconds: number;
  readonly intervalMilliseconds?: number | undefined;
}

/** Watches over the chain's node: whether it answers, whether it is where the network is, and what the network lacks. */
export class NodeMonitor {
  readonly #deps: NodeMonitorDeps;
  readonly #down = new Steady();
  readonly #lost = new Steady();
  /** By subject. */
  readonly #faults = new Map<string, { readonly steady: Steady; fault: NetworkFault }>();
  #looks = 0;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;

  constructor(deps: NodeMonitorDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#work ??= this.#look().finally(() => (this.#work = undefined));
    }, this.#deps.intervalMilliseconds ?? LOOK_MILLISECONDS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  async #look(): Promise<void> {
    const { inspect, telemetry, regularBlocks, staleSeconds } = this.#deps;
    let distrust = NO_ANSWER;
    const report = await inspect().catch((error: unknown) => {
      if (error instanceof SealbookError) distrust = error.message;
    });
    if (this.#down.see(report === undefined)) telemetry.nodeDown(distrust);
    else telemetry.nodeUp();
    if (!report) return;
    const reason = syncLoss(report, regularBlocks, staleSeconds);
    if (this.#lost.see(reason !== undefined)) telemetry.syncLost(reason ?? "the node is not where the network is");
    else telemetry.syncRegained();
    const lasting = this.#lasting(report);
    // Before that it cannot be told whether what lasted before a restart is over.
    if (++this.#looks >= LOOKS_TO_RAISE) telemetry.networkFaults(lasting);
  }

  /** The network's faults that were seen often enough. */
  #lasting({ consensus, network, peers, addresses }: NodeReport): readonly NetworkFault[] {
    const participation = consensus.bft?.participation ?? [];
    const seen = networkFaults({
      validators: consensus.validators,
      participation,
      peers: { ...network, count: peers },
      addresses,
    });
    for (const fault of seen) {
      const known = this.#faults.get(fault.subject);
      if (known === undefined) this.#faults.set(fault.subject, { steady: new Steady(), fault });
      else known.fault = fault;
    }
    const subjects = new Set(seen.map(({ subject }) => subject));
    return [...this.#faults].flatMap(([subject, { steady, fault }]) => {
      if (steady.see(subjects.has(subject))) return [fault];
      if (!subjects.has(subject)) this.#faults.delete(subject);
      return [];
    });
  }
}
