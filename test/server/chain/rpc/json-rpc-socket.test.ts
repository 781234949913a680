import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { assert } from "chai";
import { connectRpc } from "../../../../server/chain/rpc/connect.ts";
import { JsonRpcSocket } from "../../../../server/chain/rpc/json-rpc-socket.ts";
import { NodeError, type Rpc, type Subscription } from "../../../../server/chain/rpc/rpc.ts";
import { webSocketOpener } from "../../../../server/chain/rpc/web-socket.ts";
import { removeDirectory, temporaryDirectory } from "../../../support/directory.ts";
import { eventually } from "../../../support/eventually.ts";
import { FakeSocketNode, type SocketCall } from "../../../support/fake-socket-node.ts";
import { refused, unavailable } from "./failures.ts";

describe("JSON-RPC over WebSocket", () => {
  let node: FakeSocketNode;
  let rpc: Rpc;
  const hasty = (pulse: number, timeout: number) =>
    new JsonRpcSocket(webSocketOpener(new URL(node.url), {}, {}, pulse), 1, timeout);
  const called = (method: string) => node.calls.filter((call) => call.method === method);

  beforeEach(async () => {
    node = await new FakeSocketNode().start();
    rpc = connectRpc(node.url, 1);
  });
  afterEach(async () => {
    rpc.close();
    await node.stop();
  });

  it("assigns responses in any order to their calls, over one connection", async () => {
    const waiting: SocketCall[] = [];
    node.onCall = (call) => {
      waiting.push(call);
      if (waiting.length === 50) for (const each of waiting.reverse()) node.respond(each, each.params[0]);
    };
    const numbers = Array.from({ length: 50 }, (_, n) => n);
    assert.deepEqual(await Promise.all(numbers.map((n) => rpc.call("echo", [n]))), numbers);
    assert.lengthOf(node.authorizations, 1);
  });

  it("accepts batched responses, and ignores unknown ones", async () => {
    node.onCall = ({ id, socket }) =>
      socket.send(
        JSON.stringify([7, null, {}, { id: "x" }, { id: 99_999, result: 1 }, { jsonrpc: "2.0", id, result: "mine" }]),
      );
    assert.equal(await rpc.call("a", []), "mine");
  });

  it("returns the node's errors", async () => {
    node.onCall = (call) => node.refuse(call, { code: 3, message: "execution reverted", data: { data: "0x12" } });
    const { code, message, data } = await refused(rpc.call("a", []));
    assert.deepEqual([code, message, data], [3, "execution reverted", "0x12"]);
    node.onCall = (call) => node.refuse(call, { message: "no code" });
    await unavailable(rpc.call("a", []));
    node.onCall = ({ id, socket }) => socket.send(JSON.stringify({ jsonrpc: "2.0", id }));
    await unavailable(rpc.call("a", []));
  });

  it("fails the calls in flight on a lost connection, and reconnects for the next call", async () => {
    node.onCall = () => node.cut();
    await Promise.all([unavailable(rpc.call("a", [])), unavailable(rpc.call("b", []))]);
    node.onCall = (call) => node.respond(call, "again");
    assert.equal(await rpc.call("c", []), "again");
    assert.lengthOf(node.authorizations, 2);
  });

  it("fails immediately while the node is unavailable, and reconnects when it is available", async () => {
    await rpc.call("a", []);
    await node.stop();
    for (let n = 0; n < 5; n += 1) await unavailable(rpc.call("b", []));
    await node.start();
    assert.equal(await eventually(() => rpc.call("c", [])), "c");
  });

  it("closes a connection with invalid JSON", async () => {
    node.onCall = ({ socket }) => socket.send("<html>");
    assert.include(await unavailable(rpc.call("a", [])), "not JSON");
    node.onCall = (call) => node.respond(call, 1);
    assert.equal(await rpc.call("a", []), 1);
  });

  it("closes a silent connection, but not one with a slow call", async () => {
    rpc = hasty(60_000, 100);
    node.onCall = (call) => void (call.method === "fast" && node.respond(call, 1));
    assert.equal(await rpc.call("fast", []), 1);
    const slow = unavailable(rpc.call("slow", []));
    assert.equal(await rpc.call("fast", []), 1);
    assert.include(await slow, "within");
    assert.equal(await rpc.call("fast", []), 1);
    assert.lengthOf(node.authorizations, 1, "the connection was kept");
    assert.include(await unavailable(rpc.call("slow", [])), "within");
    assert.equal(await eventually(() => rpc.call("fast", [])), 1);
    assert.lengthOf(node.authorizations, 2);
  });

  it("detects a dead peer", async () => {
    rpc = hasty(50, 60_000);
    node.onCall = () => undefined;
    node.onPing = () => undefined;
    assert.include(await unavailable(rpc.call("a", [])), "does not respond to pings");
    node.onCall = (call) => node.respond(call, 1);
    assert.equal(await rpc.call("a", []), 1);
  });

  it("keeps an idle connection with a live peer", async () => {
    rpc = hasty(30, 60_000);
    await rpc.call("a", []);
    let pings = 0;
    node.onPing = (socket, data) => {
      pings += 1;
      socket.pong(data);
    };
    await eventually(async () => assert.isAtLeast(pings, 4));
    await rpc.call("a", []);
    assert.lengthOf(node.authorizations, 1);
  });

  it("sends name and password to the node", async () => {
    const secured = connectRpc(node.url.replace("//", "//user:s3cret@"), 1);
    await secured.call("a", []);
    secured.close();
    assert.equal(node.authorizations[0], `Basic ${Buffer.from("user:s3cret").toString("base64")}`);
  });

  it("fails the calls in flight on close, also before it was open, and all later calls", async () => {
    await rpc.call("a", []);
    node.onCall = () => rpc.close();
    assert.include(await unavailable(rpc.call("b", [])), "closed");
    assert.include(await unavailable(rpc.call("c", [])), "closed");
    const other = connectRpc(node.url, 1);
    const early = unavailable(other.call("a", []));
    other.close();
    assert.include(await early, "closed");
    await eventually(async () => assert.isEmpty(node.sockets));
  });

  describe("subscriptions", () => {
    let received: unknown[];
    let subscription: Subscription;
    const subscribe = () => {
      received = [];
      const made = rpc.subscribe?.("newHeads", {
        onLive: () => received.push("live"),
        onNotification: (notice) => received.push(notice),
        onLost: (error) => received.push(error instanceof NodeError ? "refused" : "lost"),
      });
      subscription = made ?? assert.fail("it cannot subscribe");
    };
    const expectReceived = (...expected: unknown[]) => eventually(async () => assert.deepEqual(received, expected));
    /** Accepts subscriptions and notifies each immediately. */
    const taking = (call: SocketCall): void => {
      if (call.method !== "eth_subscribe") return node.respond(call, true);
      const id = `0x${node.calls.length}`;
      node.notify(call.socket, "0xother", "of another");
      node.notify(call.socket, id, "early");
      node.respond(call, id);
      node.notify(call.socket, id, "later");
    };

    it("receive notifications, also before the response with the subscription's id", async () => {
      node.onCall = taking;
      subscribe();
      await expectReceived("live", "early", "later");
      assert.deepEqual(
        called("eth_subscribe").map(({ params }) => params),
        [["newHeads"]],
      );
      assert.equal(await rpc.call("a", []), true, "calls share the connection");
    });

    it("are renewed after a lost connection", async () => {
      node.onCall = taking;
      subscribe();
      await expectReceived("live", "early", "later");
      node.cut();
      await expectReceived("live", "early", "later", "lost", "live", "early", "later");
      await node.stop();
      await expectReceived("live", "early", "later", "lost", "live", "early", "later", "lost");
      await node.start();
      await expectReceived(
        "live",
        "early",
        "later",
        "lost",
        "live",
        "early",
        "later",
        "lost",
        "live",
        "early",
        "later",
      );
    });

    it("report a connection lost before the subscription", async () => {
      node.onCall = () => node.cut();
      subscribe();
      await eventually(async () => assert.include(received, "lost"));
      node.onCall = taking;
      await eventually(async () => assert.deepEqual(received.slice(-3), ["live", "early", "later"]));
    });

    it("report a rejection by the node, while calls continue", async () => {
      node.onCall = (call) =>
        call.method === "eth_subscribe"
          ? node.refuse(call, { code: -32601, message: "no such method" })
          : node.respond(call, 1);
      subscribe();
      await expectReceived("refused");
      assert.equal(await rpc.call("a", []), 1);
      assert.lengthOf(called("eth_subscribe"), 1);
    });

    it("end without further notifications, and unsubscribe at the node", async () => {
      node.onCall = taking;
      subscribe();
      await expectReceived("live", "early", "later");
      const [socket] = node.sockets;
      subscription.end();
      subscription.end();
      await eventually(async () => assert.lengthOf(called("eth_unsubscribe"), 1));
      node.notify(socket ?? assert.fail(), "0x1", "too late");
      node.cut();
      assert.isTrue(await eventually(() => rpc.call("a", [])));
      assert.deepEqual(received, ["live", "early", "later"]);
      assert.lengthOf(called("eth_subscribe"), 1);
    });

    it("end before the node's response as well", async () => {
      subscribe();
      node.onCall = (call) => {
        if (call.method === "eth_subscribe") subscription.end();
        taking(call);
      };
      await eventually(async () => assert.lengthOf(called("eth_unsubscribe"), 1));
      assert.isEmpty(received);
    });

    it("end when the client closes the connection", async () => {
      node.onCall = taking;
      subscribe();
      await expectReceived("live", "early", "later");
      rpc.close();
      await expectReceived("live", "early", "later", "lost");
      await eventually(async () => assert.isEmpty(node.sockets));
      assert.lengthOf(node.authorizations, 1);
    });
  });
});

describe("JSON-RPC over IPC", () => {
  let directory: string;
  let path: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    path = join(directory, "a node's socket.ipc");
  });
  afterEach(() => removeDirectory(directory));

  async function serve(onText: (text: string, socket: Socket) => void): Promise<{ close(): Promise<void> }> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket
        .setEncoding("utf8")
        .on("data", (text: string) => onText(text, socket))
        .on("error", () => undefined);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return {
      close() {
        for (const socket of sockets) socket.destroy();
        return new Promise((resolve) => server.close(() => resolve()));
      },
    };
  }

  it("parses responses without separators, also pretty-printed, and reconnects after a loss", async () => {
    let responses = 0;
    const node = await serve((text, socket) => {
      const calls = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: number; params: unknown });
      socket.write(
        calls.map(({ id, params }) => JSON.stringify({ jsonrpc: "2.0", id, result: params }, null, 2)).join(""),
      );
      if ((responses += calls.length) > 20) socket.destroySoon();
    });
    const rpc = connectRpc(`ipc://${encodeURI(path)}`, 1);
    const call = (n: number) => rpc.call("echo", [n, '}{ü€😀"']);
    for (let round = 0; round < 3; round += 1) {
      const results = await eventually(() => Promise.all(Array.from({ length: 10 }, (_, n) => call(n))));
      assert.deepEqual(
        results,
        Array.from({ length: 10 }, (_, n) => [n, '}{ü€😀"']),
      );
    }
    rpc.close();
    await node.close();
  });

  it("closes a connection with invalid JSON, and reports a missing socket", async () => {
    const node = await serve((_text, socket) => socket.write("HTTP/1.1 400 Bad Request\r\n"));
    const rpc = connectRpc(`ipc://${encodeURI(path)}`, 1);
    assert.include(await unavailable(rpc.call("a", [])), "not JSON");
    await node.close();
    await unavailable(rpc.call("a", []));
    rpc.close();
  });
});
