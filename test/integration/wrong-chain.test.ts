import { assert } from "chai";
import { anchored } from "../support/anchored.ts";
import { Wallet } from "ethers";
import { deploy } from "../../server/chain/contracts/deployment.ts";
import { connectRpc } from "../../server/chain/rpc/connect.ts";
import { temporaryDirectory, removeDirectory } from "../support/directory.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, idOf, type ProofRequest } from "../support/exactly-once.ts";
import { type RawAnvil, startRawAnvil, startRawNode } from "../support/raw-anvil.ts";
import { type RemoteChain, startRemoteChain } from "../support/remote-chain.ts";
import { allTransactions, rpcCall } from "../support/rpc.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { FEES } from "../support/fees.ts";

/** Deploys the contracts with the keys of another chain, so that they get the same addresses and the same code. */
async function deployAlike(url: string, { variables, relayer }: RemoteChain): Promise<void> {
  const directory = await temporaryDirectory();
  const rpc = connectRpc(url, Number(await rpcCall(url, "eth_chainId")));
  await deploy({
    rpc,
    administrator: new Wallet(variables.ADMIN_KEY ?? ""),
    relayer,
    lifetime: 3600,
    minimumToExtend: 15,
    fees: FEES,
    file: `${directory}/deployment.json`,
    onDeployed: () => undefined,
  });
  rpc.close();
  await removeDirectory(directory);
}

describe("a node of another chain with the same chain id", function () {
  let chain: RemoteChain;
  let other: RawAnvil;
  let server: TestServer;
  let known: ProofRequest;
  const accepted: ProofRequest[] = [];

  const start = (): Promise<TestServer> =>
    startServer(
      { ...chain.variables, PROOF_WAIT: "1", BATCH_MAX_AGE: "1" },
      { directory: chain.directory, overrides: { nodeIntervalMilliseconds: 50 } },
    );
  const post = async (): Promise<{ readonly document: ProofRequest; readonly status: number }> => {
    const [document = assert.fail()] = freshDocuments(1);
    accepted.push(document);
    return { document, status: (await server.post("/api/v1/proof", document)).status };
  };
  const alerts = async (kind: string): Promise<{ state: string }[]> => {
    const { body } = await server.get("/api/v1/alerts");
    return body.alerts.filter(({ alert }: { alert: string }) => alert === kind);
  };

  beforeEach(async () => {
    accepted.length = 0;
    chain = await startRemoteChain(startRawNode);
    // Another hard fork gives another first block, also within the same second.
    other = await startRawAnvil(0, "london");
    server = await start();
    [known = assert.fail()] = freshDocuments(1);
    accepted.push(known);
    await anchored(server, "/api/v1/proof", known);
  });
  afterEach(async () => {
    await server.stop("keep");
    await chain.close();
    await other.stop();
  });

  /** What holds while the node serves the other chain. */
  const assertStopped = async (): Promise<void> => {
    const before = (await allTransactions(other.http)).length;
    await eventually(async () => assert.equal((await server.get("/api/v1/status")).body.status, "down"));
    await eventually(async () => assert.deepInclude((await alerts("wrong_chain"))[0], { state: "raised" }));
    assert.lengthOf(await alerts("wrong_chain"), 1);
    assert.isEmpty(await alerts("node_down"));
    const { document, status } = await post();
    assert.equal(status, 202);
    assert.equal((await server.get(`/api/v1/proof/${idOf(document)}`)).body.status, "pending");
    assert.equal((await server.get(`/api/v1/verify?hash=${known.hash}`)).status, 503);
    assert.equal((await server.get(`/api/v1/proof/${idOf(known)}?format=bundle`)).status, 503);
    assert.equal((await server.get("/readyz")).status, 503);
    assert.equal((await server.get("/livez")).status, 200);
    assert.lengthOf(await allTransactions(other.http), before, "nothing is sent to it");
  };
  /** What holds once the right chain is back. */
  const assertResumed = async (): Promise<void> => {
    await assertExactlyOnce(server, chain.url, { accepted });
    await eventually(async () => assert.deepInclude((await alerts("wrong_chain"))[0], { state: "resolved" }));
    assert.lengthOf(await alerts("wrong_chain"), 1);
    assert.isEmpty((await alerts("journal_divergence")).filter(({ state }) => state === "raised"));
    assert.equal((await server.get("/readyz")).status, 200);
  };

  for (const [title, prepare] of [
    ["which has no contracts", async () => undefined],
    ["which has the same contracts at the same addresses", () => deployAlike(other.http, chain)],
  ] as const)
    // Security, node: the node cannot serve another chain, also with the same chain id and the same contracts
    it(`${title}: nothing is sent or confirmed, and work resumes with the right chain`, async () => {
      await prepare();
      const right = chain.proxy.target;
      chain.proxy.target = other.http;
      await assertStopped();
      chain.proxy.target = right;
      await assertResumed();
    });

  it("at the start: the server starts, and works with the right chain", async () => {
    await server.stop("keep");
    await deployAlike(other.http, chain);
    const right = chain.proxy.target;
    chain.proxy.target = other.http;
    server = await start();
    await assertStopped();
    chain.proxy.target = right;
    await assertResumed();
  });
});
