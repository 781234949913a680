/**
 * The way of a proof, from its acceptance to its confirmation, under random schedules of requests, crashes and faults:
 * also of leaders that halt, or are cut off from the database, or lose the response to a commit, and of two that lead.
 * The relayers are real, with a real database; the chain's node, the network and the clock are played, so that a run
 * takes a moment and is the same each time for the same seed. What is looked for:
 * - accepted proofs are on disk before the response, after every crash, and on chain in the end;
 * - each recorded hash is under one anchor, and no anchor is on chain twice;
 * - whatever is sent is on disk before; the nonces of each key follow one another, and nothing is left unsettled.
 *
 * A failure prints the schedule, made as short as possible, with what happened, and the seed and the path of the run.
 * To see it again, or to look further:
 *
 *     SEALBOOK_MODEL_SEED=… SEALBOOK_MODEL_PATH=… npx mocha --no-config --spec test/model/pipeline.test.ts
 *     SEALBOOK_MODEL_RUNS=5000 npx mocha --no-config --spec test/model/pipeline.test.ts
 */
import { join } from "node:path";
import { assert } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import { openSqlite } from "../../server/journal/engine/sqlite.ts";
import { removeDirectory, temporaryDirectory } from "../support/directory.ts";
import { assertAllEndsWell } from "./ending.ts";
import { setting, type Step, step, take } from "./steps.ts";
import { LEADER_TABLE } from "./session.ts";
import { type Setting, World } from "./world.ts";

const { SEALBOOK_MODEL_SEED: SEED, SEALBOOK_MODEL_PATH: PATH, SEALBOOK_MODEL_RUNS: RUNS = "120" } = process.env;
const LONGEST_SCHEDULE = 60;

describe("proof pipeline", () => {
  // Bounded by the number of its runs; one that fails takes as long as it takes to be made short.
  let directory: string;
  let template: string;
  let accepted = 0;
  let losses = 0;

  before(async () => {
    directory = await temporaryDirectory();
    template = join(directory, "template.sqlite");
    const database = await openSqlite(template);
    await sql.raw(LEADER_TABLE).execute(database);
    await database.destroy();
  });
  after(() => removeDirectory(directory));

  const run = async (setting: Setting, steps: readonly Step[]): Promise<void> => {
    await using world = new World(setting, template);
    try {
      world.start(0);
      world.start(1);
      await world.untilIdle();
      for (const step of steps) {
        await take(step, world);
        world.check();
      }
      await assertAllEndsWell(world);
      accepted += world.ledger.accepted.size;
      losses += world.losses;
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\n${world.trace.join("\n")}`, {
        cause: error,
      });
    }
  };

  it("loses no accepted proof, anchors none twice, and leaves no nonce open", async () => {
    await fc.assert(fc.asyncProperty(setting, fc.array(step, { maxLength: LONGEST_SCHEDULE, size: "max" }), run), {
      numRuns: Number(RUNS),

      ...(SEED === undefined ? {} : { seed: Number(SEED) }),
      ...(PATH === undefined ? {} : { path: PATH }),
    });
    if (PATH !== undefined) return;
    assert.isAbove(accepted, Number(RUNS) / 4, "accepted proofs of all runs");
    assert.isAbove(losses, Number(RUNS) / 10, "lost leaderships of all runs");
  });

  it("sends an intent again whose nonce was used while the node refused it for itself, at the highest fee", () =>
    run(
      {
        ...{ seed: 0, relayers: 1, blockPeriodMilliseconds: undefined, without: [] },
        rules: {
          batchMaxAgeMilliseconds: 20,
          proofWaitMilliseconds: 0,
          maxInFlight: 1_000,
        },
      },
      [
        { kind: "price", gwei: 100 },
        { kind: "nonce taken", relayer: 0, instead: false },
        { kind: "bulk", relayer: 0, records: [0] },
        { kind: "wait", milliseconds: 70_000 },
        { kind: "network", fault: "refused", of: "sends", calls: 1_000_000 },
        { kind: "wait", milliseconds: 5_000 },
      ],
    ));
});
