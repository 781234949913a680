import { assert } from "chai";
import { pino } from "pino";
import { AlertTracker } from "../../../server/operations/alert-tracker.ts";
import { alertStore } from "../../../server/operations/alert-store.ts";
import { Metrics } from "../../../server/operations/metrics.ts";
import { createTelemetry } from "../../../server/operations/telemetry.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("alerts of divergences", function () {
  let opened: TestDatabase;
  before(async () => {
    opened = await openTestDatabase();
  });
  after(() => opened.close());

  it("are one for all divergences of a cause, with their number, and end with them", async () => {
    const logger = pino({ level: "silent" });
    const store = alertStore(opened.database);
    const alerts = new AlertTracker(store, logger, () => 1_000);
    const posts: string[] = [];
    alerts.subscribe(({ subject }) => void posts.push(subject));
    const telemetry = createTelemetry({
      logger,
      metrics: new Metrics("test"),
      alerts,
      serviceLog: async () => undefined,
    });
    const subjects = Array.from({ length: 1_539 }, (_, n) => `anchor ${n.toString(16).padStart(64, "0")}`);
    for (const subject of subjects) telemetry.journalDiverged(subject, `${subject} is unknown`);
    telemetry.journalDiverged("entries", "entry 5 was changed");
    await alerts.stop();
    assert.equal(telemetry.counts().divergences, 1_540);
    const texts = async () => (await store.open()).map(({ subject, message }) => `${subject}: ${message}`);
    assert.deepEqual(await texts(), [
      `anchor: 1,539 divergences of anchor; the first: ${subjects[0]} is unknown`,
      "entries: entry 5 was changed",
    ]);
    assert.deepEqual(posts, ["anchor", "entries"], "a changed number wakes no receiver");
    for (const subject of subjects.slice(1)) telemetry.divergenceResolved(subject);
    await alerts.stop();
    assert.deepEqual(await texts(), [`anchor: ${subjects[0]} is unknown`, "entries: entry 5 was changed"]);
    for (const subject of ["entries", subjects[0] ?? ""]) telemetry.divergenceResolved(subject);
    await alerts.stop();
    assert.equal(telemetry.counts().divergences, 0);
    assert.isEmpty(await store.open());
    assert.deepEqual(posts, ["anchor", "entries", "entries", "anchor"]);
  });

  it("from before a start have the new number, or end", async () => {
    const store = alertStore(opened.database);
    await store.raise({ kind: "journal_divergence", subject: "anchor", message: "7 divergences", at: 1 });
    await store.raise({ kind: "journal_divergence", subject: "leaves", message: "leaf 5", at: 1 });
    const logger = pino({ level: "silent" });
    const alerts = new AlertTracker(store, logger, () => 1_000);
    const metrics = new Metrics("test");
    const telemetry = createTelemetry({ logger, metrics, alerts, serviceLog: async () => undefined });
    await alerts.start();
    telemetry.journalDiverged("anchor 12", "it is unknown");
    telemetry.divergenceResolved("leaves");
    await alerts.stop();
    assert.deepEqual(
      (await store.open()).map(({ subject, message, raisedAt }) => [subject, message, raisedAt]),
      [["anchor", "it is unknown", 1]],
    );
  });
});
