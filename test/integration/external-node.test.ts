import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { hexlify, Wallet } from "ethers";
import { deploy, deploymentFile } from "../../server/chain/contracts/deployment.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import type { EnvironmentVariables } from "../../server/config/environment.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { type RawAnvil, startRawAnvil } from "../support/raw-anvil.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { FEES } from "../support/fees.ts";

describe("an external node", function () {
  const relayer = new Wallet(hexlify(randomBytes(32)));
  const administrator = new Wallet(hexlify(randomBytes(32)));
  let anvil: RawAnvil;
  let proxy: TcpProxy;
  let directory: string;
  before(async () => {
    anvil = await startRawAnvil(1);
    proxy = await startTcpProxy(anvil.port);
    directory = await temporaryDirectory();
    const rpc = connectRpc(anvil.http, anvil.chainId);
    // Deployment takes a block for each step.
    await rpc.call("evm_setIntervalMining", [0]);
    await rpc.call("evm_setAutomine", [true]);
    await deploy({
      rpc,
      administrator,
      relayer: relayer.address,
      lifetime: 3600,
      minimumToExtend: 15,
      fees: FEES,
      file: deploymentFile(directory, anvil.chainId),
      onDeployed: () => undefined,
    });
    await rpc.call("evm_setAutomine", [false]);
    await rpc.call("evm_setIntervalMining", [1]);
    rpc.close();
  });
  after(async () => {
    await proxy.close();
    await anvil.stop();
    await removeDirectory(directory);
  });

  const start = (RPC_URL: string): Promise<TestServer> => {
    const variables: EnvironmentVariables = { RPC_URL, RELAYER_KEY: relayer.privateKey };
    return startServer(variables, { directory });
  };
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
