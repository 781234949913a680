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
  it("gets another text of a raised alert before the next regular notification, with the same start", async () => {
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
    const alerts = new AlertTracker(store, pino({ level: "silent" }), Date.now, {
      firstMilliseconds: 10,
      longestMilliseconds: 10,
    });
    const webhook = new AlertWebhook({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      secret: undefined,
      store,
      instance: { url: "http://sealbook" },
      clock: Date.now,
      onDelivery: (fault) => assert.isUndefined(fault),
    });
    alerts.subscribe(() => webhook.wake());
    webhook.start();
    const newest = (): unknown => received.at(-1)?.annotations.summary;
    try {
      alerts.raise("degraded_performance", "the node has 4 of 5 peers", "network: peers");
      await eventually(async () => assert.equal(newest(), "the node has 4 of 5 peers"));
      alerts.raise("degraded_performance", "the node has 2 of 5 peers", "network: peers");
      await eventually(async () => assert.equal(newest(), "the node has 2 of 5 peers"));
      assert.lengthOf(new Set(received.map(({ startsAt }) => startsAt)), 1);
      assert.notProperty(received.at(-1), "endsAt");
    } finally {
      await alerts.stop();
      await webhook.stop();
      server.closeAllConnections();
      server.close();
      await opened.close();
    }
  });
});
