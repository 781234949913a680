import { setImmediate as turn } from "node:timers/promises";
import { assert } from "chai";
import fc from "fast-check";
import { KeyedQueue } from "../../../server/kit/keyed-queue.ts";

describe("keyed queue", function () {
  it("runs each task once, in order and one at a time per key, within the limit of concurrent keys", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ lane: fc.nat(5), turns: fc.nat(3) }), { maxLength: 40 }),
        async (most, pieces) => {
          const lanes = new KeyedQueue(most);
          const done: number[] = [];
          const moving = new Set<number>();
          const all = pieces.map(({ lane, turns }, piece) => {
            const { promise, resolve } = Promise.withResolvers<void>();
            lanes.run(lane, async () => {
              assert.isFalse(moving.has(lane));
              moving.add(lane);
              assert.isAtMost(moving.size, most);
              for (let left = turns; left > 0; left -= 1) await turn();
              done.push(piece);
              moving.delete(lane);
              resolve();
            });
            return promise;
          });
          await Promise.all(all);
          assert.lengthOf(done, pieces.length);
          for (const lane of new Set(pieces.map((piece) => piece.lane))) {
            const order = done.filter((piece) => pieces[piece]?.lane === lane);
            assert.deepEqual(
              order,
              [...order].sort((one, other) => one - other),
            );
          }
        },
      ),
    );
  });

  it("ends when what is under way is done, and begins nothing any more", async () => {
    const lanes = new KeyedQueue(1);
    const done: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    lanes.run(1, async () => {
      await promise;
      done.push("first");
    });
    lanes.run(1, async () => void done.push("same lane"));
    lanes.run(2, async () => void done.push("other lane"));
    const stopped = lanes.stop();
    resolve();
    await stopped;
    await turn();
    assert.deepEqual(done, ["first"]);
  });
});
