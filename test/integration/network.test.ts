import { assert } from "chai";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { itToOurNodes, type NetworkUnderTest, startNetworkUnderTest } from "../support/bft/network-under-test.ts";
import type { RelayedNetwork } from "../support/bft/relayed-network.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Longer than the round changes of these tests. */
const STALE_SECONDS = 5;

describe("the relayer on a network of validators", () => {
  let chain: NetworkUnderTest;
  /** The same, where it is our own. */
  let network: RelayedNetwork;
  let server: TestServer;
  const accepted: ProofRequest[] = [];
  before(async () => {
    const started = await startNetworkUnderTest();
    chain = started;
    if (started.own !== undefined) network = started.own;
    server = await start();
  });
  after(async () => {
    await server.stop("keep");
    await chain.stop();
  });
  afterEach("all is well again", async () => {
    if (network === undefined) return;
    for (const node of network.nodes) Object.assign(node, { isUp: true, proposes: true, lag: 0 });
    network.partition();
    network.unlistedPeer.isConnected = false;
    network.restart();
    await eventually(async () => {
      assert.deepEqual(
        (await alerts("raised")).map(({ message }) => message),
        [],
      );
    });
  });

  const start = (): Promise<TestServer> => {
    const variables = { ...chain.variables, PROOF_WAIT: "60", BATCH_MAX_AGE: "1" };
    return startServer(variables, {
      directory: chain.directory,
      overrides: { nodeIntervalMilliseconds: 150, staleBlockSeconds: STALE_SECONDS },
    });
  };
  const names = (...indexes: number[]): string[] => indexes.map((index) => network.at(index).name);
  const alerts = async (
    state: "raised" | "resolved",
  ): Promise<{ alert: string; subject?: string; message: string }[]> =>
    (await server.get("/api/v1/alerts")).body.alerts.filter((alert: { state: string }) => alert.state === state);
  const raised = (kind: string, message: RegExp): Promise<void> =>
    eventually(async () => {
      const messages = (await alerts("raised")).filter(({ alert }) => alert === kind).map((alert) => alert.message);
      assert.isTrue(
        messages.some((each) => message.test(each)),
        `${message}: ${messages.join("; ")}`,
      );
    });
  const down = (...indexes: number[]): void => indexes.forEach((index) => (network.at(index).isUp = false));
  /** Waits for so many more blocks. */
  const blocks = async (count: number): Promise<void> => {
    const before = await chain.head();
    await eventually(async () => assert.isAtLeast(await chain.head(), before + count));
  };
  const prove = async (status: number): Promise<ParsedJson> => {
    const [document] = freshDocuments(1);
    const response = await server.post("/api/v1/proof", document);
    assert.equal(response.status, status, response.text);
    if (document !== undefined) accepted.push(document);
    return response.body;
  };

  it("returns the validators and the quorum, and the name of a proof's validator", async () => {
    await blocks(8);
    const quorum = Math.ceil((2 * chain.validators.length) / 3);
    const body = await eventually(async () => {
      const { body: messages } = await server.get("/api/v1/status");
      assert.equal(messages.consensus.quorum, quorum);
      return messages;
    });
    assert.equal(body.status, "ok");
    assert.oneOf(body.consensus.protocol, ["IBFT 2.0", "QBFT"]);
    assert.sameMembers(
      body.consensus.validators,
      chain.validators.map(([, name]) => name),
    );
    assert.include(body.consensus.validators, body.consensus.proposer);
    const { proof } = await prove(201);
    assert.include(body.consensus.validators, proof.validator);
  });

  itToOurNodes("identifies its node's peers by the list of the network's nodes", async () => {
    const { body } = await server.get("/api/v1/status");
    assert.deepInclude(body.node, { peers: 5, peers_listed: 5, peers_missing: [], peers_unlisted: [], syncing: false });
  });

  itToOurNodes("names missing peers where the node has admin_nodeInfo and no net_enode, like GoQuorum", async () => {
    const { rpc } = network.at(0);
    rpc.disabled.add("net_enode");
    down(2);
    await eventually(async () =>
      assert.deepInclude((await server.get("/api/v1/status")).body.node, {
        peers: 4,
        peers_listed: 5,
        peers_missing: names(2),
        peers_unlisted: [],
      }),
    );
    rpc.disabled.clear();
  });

  itToOurNodes("derives all of that from the headers where the node lacks the methods", async () => {
    const { rpc } = network.at(0);
    for (const api of ["ibft", "admin", "net_enode"]) rpc.disabled.add(api);
    const { body } = await server.get("/api/v1/status");
    assert.deepInclude(body.consensus, { protocol: "IBFT 2.0", quorum: 4 });
    assert.deepEqual(body.consensus.validators, names(0, 1, 2, 3, 4, 5));
    assert.deepInclude(body.node, { peers: 5, peers_listed: 5 });
    rpc.disabled.clear();
  });

  itToOurNodes("confirms by single receipts where the node lacks receipts by block", async () => {
    const { rpc } = network.at(0);
    rpc.disabled.add("eth_getBlockReceipts");
    await prove(201);
    rpc.disabled.clear();
  });

  itToOurNodes("continues with two validators down and names them as missing peers", async () => {
    down(1, 2);
    const message = /^the node has 3 of 5 peers; missing: validator-2, validator-3$/;
    await raised("degraded_performance", message);
    await prove(201);
    const { body } = await server.get("/api/v1/status");
    assert.deepEqual([body.status, body.node.peers_missing], ["ok", names(1, 2)]);
    assert.match((await server.get("/metrics")).text, /^sealbook_chain_peers 3$/m);

    const before = (await server.get("/api/v1/alerts")).body.alerts.length;
    await server.stop("keep");
    server = await start();
    await raised("degraded_performance", message);
    await blocks(10);
    assert.lengthOf(
      (await server.get("/api/v1/alerts")).body.alerts,
      before,
      "what lasts is not raised again by a restart",
    );
  });

  itToOurNodes("reports a stalled chain with three validators down, and anchors when they are back", async () => {
    down(3, 4, 5);
    await raised("sync_lost", /^the network makes no blocks: the newest block is from /);
    const { body } = await server.get("/api/v1/status");
    assert.equal(body.status, "degraded");
    assert.isAtLeast(body.node.block_age, STALE_SECONDS);
    assert.deepEqual(body.node.peers_missing, names(3, 4, 5));
    const waiting = prove(201);
    network.at(3).isUp = true;
    network.restart();
    await waiting;
    await eventually(async () => assert.isAtMost((await server.get("/api/v1/status")).body.node.block_age, 2));
  });

  itToOurNodes("reports that its own node is disconnected from a running network", async () => {
    network.partition([network.at(0), network.at(1)]);
    const before = network.head;
    await raised("sync_lost", /^the network makes no blocks: /);
    assert.isAbove(network.head, before, "the others go on");
    network.partition();
    await prove(201);
  });

  itToOurNodes("names a peer that is not on the list of the network's nodes", async () => {
    network.unlistedPeer.isConnected = true;
    await raised(
      "degraded_performance",
      /^the node is connected to 127\.0\.0\.1:30303, which is not in NODE_LIST_FILE/,
    );
    assert.deepEqual((await server.get("/api/v1/status")).body.node.peers_unlisted, ["127.0.0.1:30303"]);
  });

  it("anchors every proof once", () => assertExactlyOnce(server, chain.url, { accepted }));
});
