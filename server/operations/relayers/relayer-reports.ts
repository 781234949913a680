import { SealbookError } from "../../errors.ts";
import type { Findings } from "../../journal/findings/findings.ts";
import { headOf } from "../../journal/findings/subject.ts";
import { type Clock, every, type Interval } from "../../kit/time.ts";
import type { AlertTracker } from "../alert-tracker.ts";
import type { RelayerReport } from "./report.ts";

/** Time without a report after which operators are alerted: longer than a restart. */
const GONE_MILLISECONDS = 60_000;
/** As {@link groupOf} returns it, of any relayer. */
const GROUP = /^relayer [^:]*: /;

export interface RelayerReportsDeps {
  /** Id of this relayer. */
  readonly self: string;
  /** Ids of all relayers. */
  readonly ids: readonly string[];
  /** Age from which a report says nothing about the present. */
  readonly silenceMilliseconds: number;
  readonly alerts: Pick<AlertTracker, "replaceGroup" | "active">;
  readonly findings: Pick<Findings, "journalDiverged" | "divergenceResolved" | "has">;
  /** Never jumps. */
  readonly clock: Clock;
}

/** Ends the alerts of relayers that are not in RELAYERS any more. */
export function endAlertsOfOthers(alerts: Pick<AlertTracker, "replaceGroup" | "active">, ids: readonly string[]): void {
  const groups = new Set(ids.map(groupOf));
  for (const { subject } of alerts.active) {
    const [group] = GROUP.exec(subject) ?? [];
    if (group !== undefined && !groups.has(group))
      alerts.replaceGroup(group, [], "the relayer is not in RELAYERS any more");
  }
}

/** Begin of the subjects of a relayer's alerts. */
function groupOf(relayer: string): string {
  return `relayer ${relayer}: `;
}

/** What the other relayers report to the leader: their findings are its own, and their alerts go to its receivers. */
export class RelayerReports {
  readonly #deps: RelayerReportsDeps;
  readonly #startedAt: number;
  readonly #heard = new Map<string, { readonly at: number; readonly isNodeHealthy: boolean }>();
  /** Findings of each relayer that the leader has made its own: from then on its own checks end them. */
  readonly #taken = new Map<string, ReadonlySet<string>>();
  #interval: Interval | undefined;

  constructor(deps: RelayerReportsDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  start(): void {
    endAlertsOfOthers(this.#deps.alerts, this.#deps.ids);
    // Those from when it followed are its own now, and it finds them again.
    this.#replaceAlerts(this.#deps.self, []);
    this.#interval = every(this.#deps.silenceMilliseconds, () => this.#alertOfGone());
  }

  async stop(): Promise<void> {
    await this.#interval?.stop();
  }

  /** Whether another relayer has said shortly before that its node is healthy. */
  get isAnotherNodeHealthy(): boolean {
    const since = this.#deps.clock() - this.#deps.silenceMilliseconds;
    return [...this.#heard.values()].some(({ at, isNodeHealthy }) => isNodeHealthy && at >= since);
  }

  /**
   * Takes a report.
   * @returns the subjects of its findings that are over, or that an operator has acknowledged
   * @throws SealbookError `forbidden` when it is of no relayer in RELAYERS
   */
  take({ relayer, isNodeHealthy, hasFollowed, findings: reported, alerts }: RelayerReport): string[] {
    const { ids, self, findings, clock } = this.#deps;
    if (relayer === self || !ids.includes(relayer))
      throw new SealbookError("forbidden", `the relayer ${relayer} is not in RELAYERS, or is this one`);
    this.#heard.set(relayer, { at: clock(), isNodeHealthy });
    if (alerts !== undefined) this.#replaceAlerts(relayer, alerts);
    // What a relayer has seen of the journal is in its own folder: only it can say that the journal continues that.
    const head = headOf(relayer);
    if (hasFollowed && !reported.some(({ subject }) => subject === head)) findings.divergenceResolved(head);
    const taken = this.#taken.get(relayer);
    this.#taken.set(relayer, new Set(reported.map(({ subject }) => subject)));
    for (const { subject, message } of reported)
      if (subject === head || taken?.has(subject) !== true) findings.journalDiverged(subject, message);
    return reported.flatMap(({ subject }) => (findings.has(subject) ? [] : [subject]));
  }

  #replaceAlerts(relayer: string, alerts: NonNullable<RelayerReport["alerts"]>): void {
    this.#deps.alerts.replaceGroup(groupOf(relayer), alerts, "the relayer does not report it any more");
  }

  #alertOfGone(): void {
    const { ids, self, clock } = this.#deps;
    for (const relayer of ids) {
      if (relayer === self) continue;
      const seconds = Math.floor((clock() - (this.#heard.get(relayer)?.at ?? this.#startedAt)) / 1000);
      if (1000 * seconds < GONE_MILLISECONDS) continue;
      const message = `the relayer ${relayer} does not report to the leader any more`;
      this.#replaceAlerts(relayer, [{ kind: "degraded_performance", subject: "reports", message }]);
    }
  }
}
