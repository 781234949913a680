import { assert } from "chai";
import { contentOver } from "../../../server/journal/integrity/stored-anchor.ts";
import { AnchoredLeaves, Leaves } from "../../../server/proofs/anchored-leaves.ts";

const leaf = (value: number): Uint8Array => Buffer.alloc(32, value);

describe("leaves that were found to give what is anchored", function () {
  it("are read once, and only if they give it", async () => {
    let reads = 0;
    const hashes = [leaf(1), leaf(2), leaf(3)];
    const leaves = new AnchoredLeaves({
      leaves: async () => {
        reads += 1;
        return hashes;
      },
    });
    const { content } = contentOver(hashes, true);
    assert.isTrue((await leaves.of(1, content))?.has(1, leaf(2)));
    assert.isFalse((await leaves.of(1, content))?.has(2, leaf(2)));
    assert.equal(reads, 1);
    const { content: other } = contentOver([leaf(1), leaf(2), leaf(4)], true);
    assert.isUndefined(await leaves.of(1, other));
    assert.isUndefined(await leaves.of(1, other));
    assert.equal(reads, 3, "what does not give it is not kept");
  });

  it("are counted with what an anchor takes beside them", () => {
    assert.isAtLeast(new Leaves([leaf(1), leaf(2)]).bytes, 500);
    assert.isAtLeast(new Leaves(Array.from({ length: 1_000 }, () => leaf(1))).bytes, 8_500);
  });
});
