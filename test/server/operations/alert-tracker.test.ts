import { assert } from "chai";
import { pino } from "pino";
import { AlertTracker } from "../../../server/operations/alert-tracker.ts";
import { type Alert, withMessage } from "../../../server/operations/alert.ts";
import { alertStore } from "../../../server/operations/alert-store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

const PEERS = ["4 of 5 peers", "3 of 5 peers", "2 of 5 peers"] as const;

describe("the text of an alert", () => {
  let opened: TestDatabase;
  let now: number;
  beforeEach(async () => {
    opened = await openTestDatabase();
    now = 1_000;
  });
  afterEach(() => opened.close());

  /** Returns a tracker, and the alerts that its receivers were notified of. */
  const tracker = (): { alerts: AlertTracker; notified: Alert[] } => {
    const alerts = new AlertTracker(alertStore(opened.database), pino({ level: "silent" }), () => now);
    const notified: Alert[] = [];
    alerts.subscribe((alert) => notified.push(alert));
    return { alerts, notified };
  };
  const listed = async () =>
    (await alertStore(opened.database).list(10)).map(({ message, earlier }) => [message, earlier]);
  /** Raises an alert with each text, one after the other. */
  const raiseAll = async (alerts: AlertTracker): Promise<void> => {
    for (const [index, text] of PEERS.entries()) {
      now = 1_000 + index * 60_000;
      alerts.raise("degraded_performance", text, "network: peers");
      await eventually(async () => assert.equal((await alertStore(opened.database).open())[0]?.message, text));
    }
  };

  it("is the newest, with the earlier ones, also after a restart and its end", async () => {
    await raiseAll(tracker().alerts);
    const history = [
      { message: PEERS[0], until: 61_000 },
      { message: PEERS[1], until: 121_000 },
    ];
    assert.deepEqual(await listed(), [[PEERS[2], history]]);
    const { alerts } = tracker();
    await alerts.start();
    now = 200_000;
    alerts.raise("degraded_performance", PEERS[2], "network: peers");
    alerts.raise("degraded_performance", PEERS[0], "network: peers");
    alerts.resolve("degraded_performance", "they are back", "network: peers");
    await alerts.stop();
    assert.deepEqual(await listed(), [[PEERS[0], [...history, { message: PEERS[2], until: 200_000 }]]]);
  });

  it("belongs to the next alert when the last one has ended, even before anything is stored", async () => {
    const { alerts } = tracker();
    alerts.raise("node_down", "first");
    alerts.resolve("node_down", "over");
    alerts.raise("node_down", "second");
    alerts.raise("node_down", "third");
    await alerts.stop();
    const states = (await alertStore(opened.database).list(10)).map(({ message, resolvedAt }) => [message, resolvedAt]);
    assert.deepEqual(states, [
      ["third", undefined],
      ["first", 1_000],
    ]);
  });

  it("does not wake receivers, who get it with the next regular notification; a raised alert does", async () => {
    const { alerts, notified } = tracker();
    await raiseAll(alerts);
    alerts.raise("node_down", "it does not respond");
    await alerts.stop();
    assert.deepEqual(
      notified.map(({ message }) => message),
      [PEERS[0], "it does not respond"],
    );
  });

  it("has at most 20 earlier ones: the first, and the longest-lived of the others", () => {
    let alert = { message: "0", earlier: [], raisedAt: 0 } as Pick<Alert, "message" | "earlier" | "raisedAt">;
    let time = 0;
    // Every tenth text lasts a minute, the others a second.
    for (let text = 1; text <= 100; text += 1) {
      time += (text - 1) % 10 === 0 && text > 1 ? 60_000 : 1_000;
      alert = withMessage(alert, String(text), time);
    }
    assert.lengthOf(alert.earlier, 20);
    assert.equal(alert.message, "100");
    const kept = alert.earlier.map(({ message }) => message);
    assert.includeMembers(kept, ["0", "10", "20", "30", "40", "50", "60", "70", "80", "90"]);
  });
});
