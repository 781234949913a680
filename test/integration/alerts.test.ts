import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { startRemoteChain, type RemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";

const CREDENTIALS = "sealbook:hid@den";
const SECRET = "a secret of some length";

interface ReceivedAlert {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly startsAt: string;
  readonly endsAt?: string;
}

/** Takes alerts as Alertmanager does. */
class Receiver {
  readonly received: ReceivedAlert[] = [];
  readonly signatures: boolean[] = [];
  readonly authorizations = new Set<string>();
  isUnavailable = false;
  #server: Server | undefined;

  async start(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      const body = await text(request);
      this.authorizations.add(String(request.headers.authorization));
      if (this.isUnavailable) return void response.writeHead(503).end();
      const [, time = "", signature] =
        /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request.headers["x-sealbook-signature"])) ?? [];
      this.signatures.push(signature === createHmac("sha256", SECRET).update(`${time}.${body}`).digest("hex"));
      this.received.push(...(JSON.parse(body) as ReceivedAlert[]));
      response.end();
    });
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/api/v2/alerts?key=hidden`.replace(
      "//",
      `//${CREDENTIALS.replace("@", "%40")}@`,
    );
  }

  of(name: string): ReceivedAlert[] {
    return this.received.filter(({ labels }) => labels["alertname"] === name);
  }

  stop(): void {
    this.#server?.close();
  }
}

describe("alerts", function () {
  let chain: RemoteChain;
  let receiver: Receiver;
  let variables: Parameters<typeof startServer>[0];
  let server: TestServer;
  before(async () => {
    chain = await startRemoteChain();
    receiver = new Receiver();
    variables = { ...chain.variables, ALERT_WEBHOOKS: await receiver.start(), ALERT_WEBHOOK_SECRET: SECRET };
    server = await startServer(variables, { directory: chain.directory, overrides: { nodeIntervalMilliseconds: 300 } });
  });
  after(async () => {
    await server.stop("keep");
    receiver.stop();
    await chain.close();
  });

  const alerts = async (): Promise<Record<string, unknown>[]> => {
    const { body } = await server.get("/api/v1/alerts");
    return body.alerts.filter(({ alert }: { alert: string }) => alert === "node_down");
  };

  it("of an unavailable node are raised once and resolved once, and sent to all receivers", async () => {
    assert.deepEqual(await alerts(), []);
    chain.proxy.mode = "off";
    await eventually(async () =>
      assert.isTrue((await alerts()).some(({ state, resolved_at }) => state === "raised" && resolved_at === null)),
    );
    await eventually(async () => assert.lengthOf(receiver.of("node_down"), 1));
    chain.proxy.mode = "pass";
    await eventually(async () =>
      assert.deepEqual(
        (await alerts()).map(({ state }) => state),
        ["resolved"],
      ),
    );
    await eventually(async () => assert.isTrue(receiver.of("node_down").some(({ endsAt }) => endsAt !== undefined)));
    assert.lengthOf(await alerts(), 1);
    const [received] = receiver.of("node_down");
    assert.deepInclude(received?.labels, { service: "sealbook", severity: "critical", instance: server.url });
    assert.isTrue(receiver.signatures.every(Boolean), "every post is signed");
    assert.deepEqual([...receiver.authorizations], [`Basic ${Buffer.from(CREDENTIALS).toString("base64")}`]);
    const lines = server.log.filter((line) => line.includes("node_down"));
    assert.lengthOf(lines, 2);
    assert.isFalse(
      server.log.some((line) => line.includes("hidden")),
      "the receiver's address is not logged",
    );
  });

  it("that last are sent when the receiver can be reached again, also after a restart", async () => {
    receiver.isUnavailable = true;
    const before = receiver.received.length;
    chain.proxy.mode = "off";
    await eventually(async () => assert.isTrue((await alerts()).some(({ state }) => state === "raised")));
    await server.stop("keep");
    server = await startServer(variables, { directory: chain.directory, overrides: { nodeIntervalMilliseconds: 300 } });
    assert.lengthOf(await alerts(), 2, "it was not raised again by the restart");
    receiver.isUnavailable = false;
    const sent = (): ReceivedAlert[] =>
      receiver.received.slice(before).filter(({ labels }) => labels["alertname"] === "node_down");
    await eventually(async () => assert.isNotEmpty(sent()));
    assert.notProperty(sent()[0], "endsAt");
    chain.proxy.mode = "pass";
    await eventually(async () => assert.isFalse((await alerts()).some(({ state }) => state === "raised")));
    await eventually(async () => assert.isTrue(sent().some(({ endsAt }) => endsAt !== undefined)));
    assert.lengthOf(await alerts(), 2);
  });

  it("come with health checks that distinguish liveness from readiness", async () => {
    assert.deepEqual((await server.get("/livez")).body, { status: "ok" });
    assert.deepEqual((await server.get("/readyz")).body, {
      status: "ok",
      leads: true,
      relayer: null,
      leader: null,
      node_responds: true,
    });
    assert.equal((await server.post("/readyz", {})).status, 405);
  });
});
