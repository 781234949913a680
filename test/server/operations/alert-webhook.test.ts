import { assert } from "chai";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { pino } from "pino";
import { AlertTracker } from "../../../server/operations/alert-tracker.ts";
import { alertStore } from "../../../server/operations/alert-store.ts";
import { AlertWebhook } from "../../../server/operations/alert-webhook.ts";
import { openTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import type { ParsedJson } from "../../support/parsed-json.ts";

describe("a receiver of alerts", () => {
  it("gets the alerts that last, with their newest text, and once those that are over", async () => {
    const received: ParsedJson[] = [];
    const server = createServer((request, response) => {
      void json(request).then((alerts) => {
        received.push(...(alerts as ParsedJson[]));
        response.end();
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const opened = await openTestDatabase();
    const store = alertStore(opened.database);
    const alerts = new AlertTracker(store, pino({ level: "silent" }), Date.now);
    const webhook = new AlertWebhook({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      secret: undefined,
      store,
      instance: { url: "http://sealbook" },
      clock: Date.now,
      onDelivery: (fault) => assert.isUndefined(fault),
    });
    alerts.subscribe((alert) => webhook.note(alert));
    webhook.start();
    const newest = (): unknown => received.at(-1)?.annotations.summary;
    try {
      alerts.raise("degraded_performance", "the node has 4 of 5 peers", "network: peers");
      await eventually(async () => assert.equal(newest(), "the node has 4 of 5 peers"));
      alerts.raise("degraded_performance", "the node has 2 of 5 peers", "network: peers");
      alerts.raise("clock_skew", "the clock is wrong");
      const ofPeers = (): ParsedJson[] => received.filter(({ labels }) => labels.alertname === "degraded_performance");
      const over = (): ParsedJson[] => ofPeers().filter(({ endsAt }) => endsAt !== undefined);
      await eventually(async () => assert.equal(ofPeers().at(-1)?.annotations.summary, "the node has 2 of 5 peers"));
      assert.isEmpty(over());
      alerts.resolve("degraded_performance", "the node has its peers again", "network: peers");
      await eventually(async () => assert.lengthOf(over(), 1));
      assert.lengthOf(new Set(ofPeers().map(({ startsAt }) => startsAt)), 1);
      alerts.raise("node_down", "it does not respond");
      await eventually(async () => assert.equal(newest(), "it does not respond"));
      assert.lengthOf(over(), 1, "once");
    } finally {
      await alerts.stop();
      await webhook.stop();
      server.closeAllConnections();
      server.close();
      await opened.close();
    }
  });
});
