import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

describe("an external node", function () {
  let chain: RemoteChain;
  let proxy: TcpProxy;
  before(async () => {
    chain = await startRemoteChain(startRawNode);
    proxy = await startTcpProxy(Number(new URL(chain.url).port));
  });
  after(async () => {
    await proxy.close();
    await chain.close();
  });

  const start = (RPC_URL: string): Promise<TestServer> =>
    startServer({ ...chain.variables, RPC_URL }, { directory: chain.directory });
  const prove = async (server: TestServer): Promise<string> => {
    const document = {
      document_id: randomBytes(8).toString("hex"),
      hash: randomBytes(32).toString("hex"),
      metadata: { timestamp: 1 },
    };
    const { status, body, text } = await server.post("/api/v1/proof", document);
    assert.equal(status, 201, text);
    assert.equal(body.status, "confirmed");
    return document.hash;
  };

  it("is used, also after lost connections", async () => {
    const server = await start(`http://127.0.0.1:${proxy.port}`);
    await prove(server);
    const before = proxy.connections;
    proxy.cut();
    const hash = await prove(server);
    assert.isAbove(proxy.connections, before);
    assert.isTrue((await server.get(`/api/v1/verify?hash=${hash}`)).body.valid);
    assert.equal((await server.get("/api/v1/status")).body.status, "ok");
    await server.stop("keep");
  });

  it("is reported as unavailable, without the secrets in its address", async () => {
    const server = await start("http://user:s3cret@127.0.0.1:9/?key=s3cret");
    const { body } = await server.get("/api/v1/status");
    assert.notEqual(body.status, "ok");
    await eventually(async () => assert.isTrue(server.log.some((line) => line.includes("does not respond"))));
    await server.stop("keep");
    for (const line of server.log) assert.notInclude(line, "s3cret");
  });
});
