import { assert } from "chai";
import { type RelayedNetwork, startRelayedNetwork } from "../support/bft/relayed-network.ts";
import { eventually } from "../support/eventually.ts";
import { assertExactlyOnce, freshDocuments, type ProofRequest } from "../support/exactly-once.ts";
import { startServer, type TestServer } from "../support/server.ts";

const BLOCK_PERIOD = 2_000;
/** More than the lead at the start, which is 0.4 s. */
const FILLS_BEFORE = 800;
/** With a lead of 0.4 and of 0.6 s a batch misses its block. */
const LEAST_MISSES = 2;
/** Proofs in a row that take one block. */
const ENOUGH = 4;
const MAX_PROOFS = 40;

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
  it("misses blocks first, and learns from them when to send a batch", async () => {
    const blocks: number[] = [];
    const misses = (): number => blocks.filter((count) => count > 1).length;
    // A batch that is sent outside of the schedule, as between irregular blocks, shows nothing.
    const isLearned = (): boolean => misses() >= LEAST_MISSES && blocks.slice(-ENOUGH).every((count) => count === 1);
    while (!isLearned() && blocks.length < MAX_PROOFS) blocks.push(await prove());
    assert.isTrue(isLearned(), `blocks that each proof took: ${blocks.join(", ")}`);
  });

  it("anchors every proof once", () => assertExactlyOnce(server, network.at(0).http, { accepted }));
});
