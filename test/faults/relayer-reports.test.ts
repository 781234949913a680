import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { emptyDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freshDocuments } from "../support/exactly-once.ts";
import type { ParsedJson } from "../support/parsed-json.ts";
import type { ServerProcess } from "../support/process.ts";
import { FAST_CHANGE, type RelayerPair, startRelayerPair } from "../support/relayer-pair.ts";

const FAST = {
  ...FAST_CHANGE,
  nodeIntervalMilliseconds: 200,
  settings: { journal: { reconcileIntervalMilliseconds: 200 } },
};

describe("a relayer that follows", () => {
  let pair: RelayerPair;
  let first: ServerProcess;
  let second: ServerProcess;

  beforeEach(async () => {
    pair = await startRelayerPair(await emptyDatabase("postgres"));
    await pair.mine();
    const [leading, following] = pair.seats;
    first = await leading.start({ PROOF_WAIT: "10", BATCH_MAX_AGE: "1" }, FAST);
    second = await following.start({ PROOF_WAIT: "10", BATCH_MAX_AGE: "1" }, FAST);
  });
  afterEach(() => pair.close());

  const post = async (server: ServerProcess): Promise<ParsedJson> => {
    const [document] = freshDocuments(1);
    const { status, text, body } = await server.post("/api/v1/proof", document);
    assert.oneOf(status, [201, 202], text);
    return body;
  };
  const leaders = async (): Promise<unknown[]> =>
    Promise.all(
      [first, second].map(async (server) => {
        const { status, body, text } = await server.get("/readyz");
        assert.equal(status, 200, text);
        const { status: _, node_responds, ...leadership } = body;
        assert.isTrue(node_responds);
        assert.deepEqual((await server.get("/api/v1/status")).body.leadership, leadership);
        return leadership;
      }),
    );
  const alerts = async (): Promise<string[]> => {
    const list: ParsedJson[] = (await first.get("/api/v1/alerts")).body.alerts;
    return list
      .filter(({ state }) => state === "raised")
      .map(({ alert, subject = "" }) => `${String(alert)} ${String(subject)}`);
  };

  it("says who leads, as the leader does", async () => {
    assert.deepEqual(await leaders(), [
      { leads: true, relayer: "first", leader: "first" },
      { leads: false, relayer: "second", leader: "first" },
    ]);
    await first.end("SIGKILL");
    await eventually(async () => assert.isTrue((await second.get("/readyz")).body.leads));
    assert.equal((await second.get("/readyz")).body.leader, "second");
  });

  it("reports what it finds about the journal: the leader signs nothing while it lasts", async () => {
    await post(first);
    const { id } = await post(second);
    const bundle = async (): Promise<number> => (await second.get(`/api/v1/proof/${id}?format=bundle`)).status;
    await eventually(async () => assert.equal(await bundle(), 200));
    // What it has seen is another journal than this one.
    const file = join(pair.seats[1].directory, "journal.head");
    const { sequence } = await eventually(async () => JSON.parse(await readFile(file, "utf8")));
    await second.end("SIGTERM");
    const before = await readFile(file);
    await writeFile(file, JSON.stringify({ sequence, digest: "00".repeat(32) }));
    second = await pair.seats[1].start({}, FAST);
    await eventually(async () => assert.equal(await bundle(), 500));
    // The relayer itself answers nothing more; the leader has its report a moment later.
    for (const server of [first, second])
      await eventually(async () => {
        const { body } = await server.get("/api/v1/status");
        assert.deepEqual([body.journal.divergences, body.status], [1, "degraded"]);
      });
    assert.include(await alerts(), "journal_divergence head");
    // It is over for the leader as soon as the relayer itself says so, and not while it is away.
    await second.end("SIGTERM");
    await writeFile(file, before);
    assert.equal((await first.get(`/api/v1/proof/${id}?format=bundle`)).status, 500);
    second = await pair.seats[1].start({}, FAST);
    await eventually(async () => assert.equal(await bundle(), 200));
    assert.notInclude(await alerts(), "journal_divergence head");
  });

  it("has its alerts among the leader's, under its name", async () => {
    const alert = "node_down relayer second: ";
    pair.seats[1].proxy.mode = "off";
    await eventually(async () => assert.include(await alerts(), alert));
    pair.seats[1].proxy.mode = "pass";
    await eventually(async () => assert.notInclude(await alerts(), alert));
  });

  it("leads when the node of the leader is gone and its own is not", async () => {
    await eventually(async () => assert.equal((await second.get("/api/v1/status")).body.status, "ok"));
    pair.seats[0].proxy.mode = "off";
    await eventually(async () => assert.isTrue((await second.get("/readyz")).body.leads));
    const { status } = await post(first);
    assert.equal(status, "confirmed");
    assert.include(first.output(), "this relayer steps down");
  });

  it("leaves the leader in its place when both nodes are gone: it goes on accepting", async () => {
    for (const { proxy } of pair.seats) proxy.mode = "off";
    await eventually(async () => assert.include(await alerts(), "node_down "));
    await eventually(async () => assert.include(await alerts(), "node_down relayer second: "));
    assert.equal((await post(second)).status, "pending");
    assert.isTrue((await first.get("/readyz")).body.leads);
    assert.notInclude(first.output(), "this relayer steps down");
  });
});
