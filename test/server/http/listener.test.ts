import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { assert } from "chai";
import { listen } from "../../../server/http/listener.ts";

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

  it("keeps connections open until then", async () => {
    const server = await listen((_request, response) => void response.end("done"), { host: "127.0.0.1", port: 0 });
    const response = await fetch(server.url);
    assert.deepEqual([await response.text(), response.headers.get("connection")], ["done", "keep-alive"]);
    await server.close();
  });
});
