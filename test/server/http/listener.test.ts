import { once } from "node:events";
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { assert } from "chai";
import { listen } from "../../../server/http/listener.ts";
import { eventually } from "../../support/eventually.ts";

describe("a server that stops", () => {
  it("says with each response that the connection closes, and completes the requests in flight", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const server = await listen(
      (_request, response) => {
        arrive();
        void released.then(() => response.end("done"));
      },
      { host: "127.0.0.1", port: 0 },
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = async (): Promise<IncomingMessage> => {
      const asked = request(server.url, { agent }).end();
      const [response]: IncomingMessage[] = await once(asked, "response");
      return response?.resume() ?? assert.fail();
    };
    const response = get();
    await arrived;
    const closed = server.close();
    release();
    const { statusCode, headers } = await response;
    assert.deepEqual([statusCode, headers.connection], [200, "close"]);
    await closed;
    agent.destroy();
  });

  it("says so to a request that comes later on an open connection", async () => {
    const begun: ServerResponse[] = [];
    const server = await listen((_request, response) => void begun.push(response), { host: "127.0.0.1", port: 0 });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (received += chunk));
    const ask = async (count: number): Promise<ServerResponse> => {
      socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await eventually(async () => assert.lengthOf(begun, count));
      return begun.at(-1) ?? assert.fail();
    };
    const first = await ask(1);
    first.write("begun");
    const closed = server.close();
    const second = await ask(2);
    first.end();
    second.end("done");
    await Promise.all([once(socket, "close"), closed]);
    assert.match(received, /keep-alive[^]*begun[^]*Connection: close[^]*done/);
  });

  it("keeps connections open until then", async () => {
    const server = await listen((_request, response) => void response.end("done"), { host: "127.0.0.1", port: 0 });
    const response = await fetch(server.url);
    assert.deepEqual([await response.text(), response.headers.get("connection")], ["done", "keep-alive"]);
    await server.close();
  });
});
