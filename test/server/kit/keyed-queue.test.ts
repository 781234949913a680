import { setImmediate as turn } from "node:timers/promises";
import { assert } from "chai";
import fc from "fast-check";
import { KeyedQueue } from "../../../server/kit/keyed-queue.ts";

describe("keyed queue", function () {
  it("runs each task once, in order and one at a time per key, within the limit of concurrent keys", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.record({ key: fc.nat(5), ticks: fc.nat(3) }), { maxLength: 40 }),
        async (most, pieces) => {
          const queue = new KeyedQueue(most);
          const done: number[] = [];
          const moving = new Set<number>();
          const all = pieces.map(({ key, ticks }, piece) => {
            const { promise, resolve } = Promise.withResolvers<void>();
            queue.run(key, async () => {
              assert.isFalse(moving.has(key));
              moving.add(key);
              assert.isAtMost(moving.size, most);
              for (let left = ticks; left > 0; left -= 1) await turn();
              done.push(piece);
              moving.delete(key);
              resolve();
            });
            return promise;
          });
          await Promise.all(all);
          assert.lengthOf(done, pieces.length);
          for (const key of new Set(pieces.map((piece) => piece.key))) {
            const order = done.filter((piece) => pieces[piece]?.key === key);
            assert.deepEqual(
              order,
              [...order].sort((one, other) => one - other),
            );
          }
        },
      ),
    );
  });

  it("ends after the tasks in progress, and starts no further ones", async () => {
    const queue = new KeyedQueue(1);
    const done: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    queue.run(1, async () => {
      await promise;
      done.push("first");
    });
    queue.run(1, async () => void done.push("same key"));
    queue.run(2, async () => void done.push("other key"));
    const stopped = queue.stop();
    resolve();
    await stopped;
    await turn();
    assert.deepEqual(done, ["first"]);
  });
});
