import { assert } from "chai";
import { type RelayedNetwork, startRelayedNetwork } from "../support/bft/relayed-network.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Longer than the test: only the stall ends a wait. */
const PROOF_WAIT_SECONDS = 600;
const FEW = 20;

describe("a network without its quorum", () => {
  let network: RelayedNetwork;
  let server: TestServer;
  const accepted: ProofRequest[] = [];
  before(async () => {
    network = await startRelayedNetwork({ blockPeriod: 1_000, requestTimeout: 2_000 });
    const variables = {
      ...network.variablesFor([network.at(0).http]),
      PROOF_WAIT: String(PROOF_WAIT_SECONDS),
      BATCH_MAX_AGE: "1",
    };
    server = await startServer(variables, { directory: network.directory });
    const start = network.head;
    // The server knows the period of the blocks.
    await eventually(async () => assert.isAtLeast(network.head, start + 5));
  });
  after(async () => {
    await server.stop("keep");
    await network.stop();
  });

  const prove = async () => {
    const [document = assert.fail()] = freshDocuments(1);
    const response = await server.post("/api/v1/proof", document);
    assert.oneOf(response.status, [201, 202], response.text);
    accepted.push(document);
    return response;
  };
  const setUp = (isUp: boolean): void => {
    for (const index of [3, 4, 5]) network.at(index).isUp = isUp;
  };

  it("answers what it accepted with 202 once the chain stalls, waiting requests and new ones", async () => {
    assert.equal((await prove()).status, 201);
    setUp(false);
    for (const { status, body } of await Promise.all(Array.from({ length: FEW }, prove))) {
      assert.equal(status, 202);
      assert.equal(body.status, "pending");
    }
    // None of them starts to wait.
    assert.deepEqual(
      [...new Set((await Promise.all(Array.from({ length: FEW }, prove))).map(({ status }) => status))],
      [202],
    );
    const documents = freshDocuments(3);
    const { status, body } = await server.post("/api/v1/proof/batch", { documents });
    assert.deepEqual([status, body.status], [202, "pending"]);
    accepted.push(...documents);
  });

  it("confirms everything when the chain goes on, and new proofs wait for their block again", async () => {
    setUp(true);
    network.restart();
    await eventually(async () => assert.equal((await prove()).status, 201));
    await assertExactlyOnce(server, network.at(0).http, { accepted });
  });
});
