import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { contentOver } from "../../../server/journal/integrity/stored-anchor.ts";
import { AnchorTrees } from "../../../server/proofs/anchor-trees.ts";

describe("trees of batches", () => {
  it("are rebuilt once for all proofs that need one at the same time", async () => {
    const hashes = Array.from({ length: 1_000 }, () => randomBytes(32));
    let reads = 0;
    const leaves = async (): Promise<Uint8Array[]> => {
      reads += 1;
      return hashes;
    };
    const trees = new AnchorTrees({ leaves });
    const { content } = contentOver(hashes);
    const got = await Promise.all(hashes.map(() => trees.of(1, content)));
    assert.equal(reads, 1);
    assert.equal(new Set(got).size, 1);
    await trees.of(2, content);
    assert.equal(reads, 2);
  });

  it("are rebuilt again after a failure", async () => {
    let reads = 0;
    const hash = randomBytes(32);
    const leaves = async (): Promise<Uint8Array[]> => {
      reads += 1;
      if (reads === 1) throw new Error("the database is closed");
      return [hash];
    };
    const trees = new AnchorTrees({ leaves });
    const { content } = contentOver([hash], true);
    const failed = await trees.of(1, content).catch((error: unknown) => error);
    assert.instanceOf(failed, Error);
    assert.equal((await trees.of(1, content))?.size, 1);
  });

  it("are none for leaves that do not give what is anchored", async () => {
    const trees = new AnchorTrees({ leaves: async () => [randomBytes(32)] });
    const error = await trees.of(1, { hash: randomBytes(32), size: 1 }).catch((failure: unknown) => failure);
    assert.propertyVal(error, "code", "journal_damaged");
  });
});
