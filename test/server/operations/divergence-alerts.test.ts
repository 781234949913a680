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

  it("are few for many divergences of one cause, which the status counts, and end with them", async () => {
    const logger = pino({ level: "silent" });
    const store = alertStore(opened.database);
    const alerts = new AlertTracker(store, logger, () => 1_000);
    const posts: string[] = [];
    alerts.subscribe(({ subject }) => void posts.push(subject));
    const lines: string[] = [];
    const telemetry = createTelemetry({
      logger,
      metrics: new Metrics("test"),
      alerts,
      serviceLog: async ({ message }) => void lines.push(message),
    });
    const subjects = Array.from({ length: 1_539 }, (_, n) => `anchor ${n.toString(16).padStart(64, "0")}`);
    for (const subject of subjects) telemetry.journalDiverged(subject, `${subject} is unknown`);
    telemetry.journalDiverged("entries", "entry 5 was changed");
    await alerts.stop();
    assert.equal(telemetry.counts().divergences, 1_540);
    assert.deepEqual([(await store.open()).length, posts.length, lines.length], [12, 12, 12]);
    assert.include(
      (await store.open()).map(({ subject }) => subject),
      "anchor: others",
    );
    for (const subject of subjects) telemetry.divergenceResolved(subject);
    telemetry.divergenceResolved("entries");
    await alerts.stop();
    assert.equal(telemetry.counts().divergences, 0);
    assert.isEmpty(await store.open());
    assert.lengthOf(posts, 24);
  });
});
