import { type NetworkFault, networkFaults } from "../chain/consensus/network-faults.ts";
import type { ChainEvents } from "../chain/events.ts";
import type { NodeInspector, NodeReport } from "../chain/node/node-inspector.ts";
import { isWrongChain } from "../chain/rpc/rpc.ts";
import { missingRole } from "../chain/contracts/roles.ts";
import { feeFaults } from "../chain/transactions/fees.ts";
import { SealbookError } from "../errors.ts";
import { every, type Interval } from "../kit/time.ts";
import { CHECKS_TO_RAISE, Debounce } from "./alert.ts";
import { syncLoss } from "./sync-loss.ts";

const INTERVAL_MILLISECONDS = 5_000;

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

  /** Whether it is known which faults last. */
  get isSettled(): boolean {
    return this.#checks >= CHECKS_TO_RAISE || this.isGone;
  }

  /** Whether the node responds, serves the right chain and is in sync. */
  get isHealthy(): boolean {
    return this.#faultsOfNode.every(({ state }) => state === false);
  }

  /** Whether the node cannot be used for anchors, and has not been for several checks. */
  get isGone(): boolean {
    return this.#faultsOfNode.some(({ state }) => state === true);
  }

  get #faultsOfNode(): readonly Debounce[] {
    return [this.#down, this.#wrong, this.#lost];
  }

  start(): void {
    this.#interval = every(this.#deps.intervalMilliseconds ?? INTERVAL_MILLISECONDS, () => this.#check());
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  async #check(): Promise<void> {
    const { inspect, telemetry, regularBlocks, staleSeconds } = this.#deps;
    let node: NodeReport;
    try {
      node = await inspect();
    } catch (error) {
      const reason = error instanceof SealbookError ? error.message : "the chain's node does not respond";
      // A node of another chain responds; one that does not respond can be of any chain.
      if (isWrongChain(error)) this.#reportWrong(reason);
      this.#reportDown(isWrongChain(error) ? undefined : reason);
      return;
    }
    this.#reportWrong(undefined);
    this.#reportDown(undefined);
    telemetry.nodeConsistent();
    const loss = syncLoss(node, regularBlocks, staleSeconds);
    const isLost = this.#lost.update(loss !== undefined);
    if (isLost === false) telemetry.syncRegained();
    if (isLost === true && loss !== undefined) telemetry.syncLost(loss);
    const lasting = this.#lastingFaults(node);
    // Earlier it is unknown whether faults from before a restart last.
    if (++this.#checks >= CHECKS_TO_RAISE) telemetry.networkFaults(lasting);
  }

  #reportWrong(fault: string | undefined): void {
    const isWrong = this.#wrong.update(fault !== undefined);
    if (isWrong === false) this.#deps.telemetry.rightChain();
    if (isWrong === true && fault !== undefined) this.#deps.telemetry.wrongChain(fault);
  }

  #reportDown(fault: string | undefined): void {
    const isDown = this.#down.update(fault !== undefined);
    if (isDown === false) this.#deps.telemetry.nodeUp();
    if (isDown === true && fault !== undefined) this.#deps.telemetry.nodeDown(fault);
  }

  /** Returns the network's faults that several checks in a row have found. */
  #lastingFaults(report: NodeReport): readonly NetworkFault[] {
    const { network, peers, addresses, relayer, balance, fee } = report;
    const ofNetwork = networkFaults({ peers: { ...network, count: peers }, addresses });
    const lack = missingRole(relayer, report.lacksRoleOf);
    const ofRole: readonly NetworkFault[] =
      lack === undefined ? [] : [{ kind: "degraded_performance", subject: "role", message: lack }];
    const found = [...ofNetwork, ...ofRole, ...feeFaults(relayer, balance, fee)];
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
