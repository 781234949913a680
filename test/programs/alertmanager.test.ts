import { assert } from "chai";
import { type Alertmanager, startAlertmanager } from "../support/alertmanager.ts";
import { eventually } from "../support/eventually.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

describe("alerts in a real Alertmanager", () => {
  let chain: RemoteChain;
  let alertmanager: Alertmanager;
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    alertmanager = await startAlertmanager();
    server = await startServer(
      { ...chain.variables, ALERT_WEBHOOKS: alertmanager.address },
      { directory: chain.directory, overrides: { nodeIntervalMilliseconds: 300 } },
    );
  });
  after(async () => {
    await server?.stop("keep");
    await alertmanager?.stop();
    await chain?.close();
  });

  it("are active there while the fault lasts, and resolved with it", async () => {
    assert.deepEqual(await alertmanager.alerts(), []);
    chain.proxy.mode = "off";
    const [alert] = await eventually(async () => {
      const alerts = await alertmanager.alerts();
      assert.lengthOf(alerts, 1);
      return alerts;
    });
    assert.deepInclude(alert.labels, {
      alertname: "node_down",
      service: "sealbook",
      severity: "critical",
      instance: server.url,
    });
    assert.equal(alert.status.state, "active");
    assert.equal(alert.annotations.summary, "the chain's node does not respond");
    assert.equal(alert.generatorURL, `${server.url}/api/v1/alerts`);
    const { body } = await server.get("/api/v1/alerts");
    assert.equal(Math.floor(Date.parse(alert.startsAt) / 1000), body.alerts[0].raised_at);

    chain.proxy.mode = "pass";
    await eventually(async () => assert.deepEqual(await alertmanager.alerts(), []));
    // It received the resolution; the alert did not expire.
    assert.equal(await alertmanager.received("resolved"), 1);
    assert.equal(await alertmanager.invalid(), 0);
  });
});
