import { assert } from "chai";
import { type RelayedNetwork, startRelayedNetwork } from "../support/bft/relayed-network.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const BLOCK_PERIOD = 2_000;
/** Less than the lead of a batch, which is 1 s. */
const FILLS_BEFORE = 800;
const PROOFS = 8;

describe("the relayer on a network that fills its blocks early, like GoQuorum", () => {
  let network: RelayedNetwork;
  let server: TestServer;
  const accepted: ProofRequest[] = [];
  before(async () => {
    network = await startRelayedNetwork({
      protocol: "qbft",
      blockPeriod: BLOCK_PERIOD,
      requestTimeout: 2 * BLOCK_PERIOD,
      fillsBefore: FILLS_BEFORE,
    });
    // Batches wait for their block, never for their age.
    const variables = { ...network.variablesFor([network.at(0).http]), PROOF_WAIT: "60", BATCH_MAX_AGE: "30" };
    server = await startServer(variables, { directory: network.directory });
    const start = network.head;
    // The server knows the period of the blocks.
    await eventually(async () => assert.isAtLeast(network.head, start + 5));
  });
  after(async () => {
    await server.stop("keep");
    await network.stop();
  });

  /** Confirms a proof; returns the number of blocks that it took. */
  const prove = async (): Promise<number> => {
    const [document = assert.fail()] = freshDocuments(1);
    const before = network.head;
    const { status, text, body } = await server.post("/api/v1/proof", document);
    assert.equal(status, 201, text);
    accepted.push(document);
    return Number(body.proof.block_number) - before;
  };
  it("sends a batch in time for the next block, which is filled before its time", async () => {
    const blocks: number[] = [];
    while (blocks.length < PROOFS) blocks.push(await prove());
    // A proof that comes when the next block is already filled takes two.
    const late = blocks.filter((count) => count > 1).length;
    assert.isAtMost(late, 2, `blocks that each proof took: ${blocks.join(", ")}`);
  });

  it("anchors every proof once", () => assertExactlyOnce(server, network.at(0).http, { accepted }));
});
