import type { RequestHandler } from "express";
import { fromRelayer } from "../http/forwarding/accept.ts";
import { provenAnswer, Question } from "../http/forwarding/proven-answer.ts";
import { parseInput } from "../http/errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { leaderOf } from "../journal/leader/leader-of.ts";
import { SILENCE_MILLISECONDS } from "../journal/leader/silence.ts";
import { every, type Interval } from "../kit/time.ts";
import type { NodeMonitor } from "../operations/node-monitor.ts";
import type { Leadership } from "../operations/responses.ts";
import { endAlertsOfOthers, RelayerReports } from "../operations/relayers/relayer-reports.ts";
import { ReportSender } from "../operations/relayers/report-sender.ts";
import { RelayerReport, REPORT_PATH } from "../operations/relayers/report.ts";
import type { Context } from "./context.ts";
import type { JournalWorkers } from "./journal-workers.ts";

/** Maximum bytes of a report: its lists and texts are bounded. */
const MOST_BYTES = 1024 * 1024;

/** A path for other relayers only. */
export interface RelayerRoute {
  readonly path: string;
  readonly handlers: readonly RequestHandler[];
}

/** Time between two step-downs: one that nobody took over from is not repeated soon. */
const STEP_DOWN_MILLISECONDS = 10 * 60_000;

/** What a relayer does with the others: a follower reports to the leader, which takes reports. */
export interface Relayers {
  /** Takes reports. */
  readonly routes: readonly RelayerRoute[];
  /** Why the leader does not get the reports of this relayer. */
  fault(): string | undefined;
  leadership(): Promise<Leadership>;
  start(): void;
  stop(): Promise<void>;
}

interface Monitored {
  readonly nodeMonitor: NodeMonitor;
  readonly journalWorkers: Pick<JournalWorkers, "hasFollowed">;
}

/** Builds it for the role of this relayer. */
export function createRelayers(context: Context, monitored: Monitored): Relayers {
  const { opened, isLeader, database, metrics } = context;
  const { relayers, journal } = opened;
  metrics.gauge("sealbook_leader", "Whether this relayer leads (1) or follows (0)", () => (isLeader ? 1 : 0));
  const leadership = async (): Promise<Leadership> => ({
    leads: isLeader,
    relayer: relayers?.peers.self ?? null,
    leader: journal.candidate === undefined ? null : (await leaderOf(database))?.holder || null,
  });
  if (relayers === undefined) {
    const start = (): void => endAlertsOfOthers(context.alerts, []);
    return { routes: [], fault: () => undefined, leadership, start, stop: nothing };
  }
  const silenceMilliseconds = context.overrides.leaderSilenceMilliseconds ?? SILENCE_MILLISECONDS;
  return {
    leadership,
    ...(isLeader
      ? leading(context, relayers, monitored, silenceMilliseconds)
      : following(context, relayers, monitored, Math.floor(silenceMilliseconds / 3))),
  };
}

type Others = NonNullable<Context["opened"]["relayers"]>;

function leading(
  { opened, alerts, findings, steadyClock: clock, logger, assertLeads }: Context,
  { peers }: Others,
  { nodeMonitor }: Monitored,
  silenceMilliseconds: number,
): Omit<Relayers, "leadership"> {
  const ids = [...peers.addresses.keys()];
  const reports = new RelayerReports({ self: peers.self, ids, silenceMilliseconds, alerts, findings, clock });
  const { session } = opened.leadership;
  const stepDown = async (): Promise<void> => {
    if (session === undefined || session.lost.aborted) return;
    if (!nodeMonitor.isGone || !reports.isAnotherNodeHealthy) return;
    const { steppedDownAt = -Infinity } = opened.leadership;
    if (performance.now() - steppedDownAt < STEP_DOWN_MILLISECONDS) return;
    opened.leadership.steppedDownAt = performance.now();
    logger.warn("this relayer steps down: its node cannot be used, and another relayer has one that can");
    await session.end();
  };
  let interval: Interval | undefined;
  return {
    routes: reportRoute((request, response) => {
      assertLeads();
      const { number, content } = parseInput(Question, request.body);
      const closed = reports.take(parseInput(RelayerReport, content));
      response.json(provenAnswer(peers.key, number, { closed }));
    }),
    fault: () => undefined,
    start() {
      reports.start();
      interval = every(silenceMilliseconds / 3, async () => {
        // Calls that wait for the leader of before end.
        await peers.leader.ask().catch(() => undefined);
        await stepDown();
      });
    },
    async stop() {
      await interval?.stop();
      await reports.stop();
    },
  };
}

function following(
  { alerts, findings, telemetry, logger, assertLeads }: Context,
  { peers }: Others,
  { nodeMonitor, journalWorkers }: Monitored,
  intervalMilliseconds: number,
): Omit<Relayers, "leadership"> {
  const sender = new ReportSender({
    peers,
    intervalMilliseconds,
    content: () => ({
      isNodeHealthy: nodeMonitor.isHealthy,
      hasFollowed: journalWorkers.hasFollowed(),
      findings: [...findings.open],
      // Those of the journal are among the findings.
      ...(nodeMonitor.isSettled ? { alerts: alerts.active.filter(({ kind }) => kind !== "journal_divergence") } : {}),
    }),
    onClosed: telemetry.divergenceResolved,
    onFailure: (err) => logger.warn({ err }, "the leader does not get the reports of this relayer"),
  });
  return {
    routes: reportRoute(() => assertLeads()),
    fault: () => sender.fault,
    start: () => sender.start(),
    stop: () => sender.stop(),
  };
}

function reportRoute(handle: RequestHandler): Relayers["routes"] {
  return [{ path: REPORT_PATH, handlers: [fromRelayer, ...jsonBody({ limit: MOST_BYTES }), handle] }];
}

async function nothing(): Promise<void> {}
