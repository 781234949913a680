import { assert } from "chai";
import fc from "fast-check";
import { assignLeaves } from "../../../server/proofs/anchor-trees.ts";
import { isSameRecord, type NewProof } from "../../../server/proofs/proof.ts";
import { recordHash } from "../../../server/journal/integrity/record-hash.ts";

const proofOf = (documentId: string, timestamp: number): NewProof => {
  const hash = new Uint8Array(32).fill(7);
  return {
    documentId,
    hash,
    metadata: { timestamp },
    acceptedAt: 0,
    recordHash: recordHash({ documentId, timestamp, type: "", hash }),
  };
};
// "a1" at 2 and "a" at 12 read alike.
const requests = fc.array(fc.tuple(fc.constantFrom("a", "a1", "b"), fc.constantFrom(2, 12, 3)), { maxLength: 30 });

describe("leaf indexes of an anchor", function () {
  it("cover every recorded hash once, and every record has one proof, for any known records", () => {
    fc.assert(
      fc.property(requests, requests, (before, now) => {
        const known = assignLeaves(
          before.map((each) => proofOf(...each)),
          [],
          { anchorId: 1, size: 0 },
        );
        const submitted = now.map((each) => proofOf(...each));
        const { accepted, added, hashes } = assignLeaves(submitted, known.added, { anchorId: 2, size: 5 });
        assert.lengthOf(accepted, submitted.length);
        for (const [index, { proof }] of accepted.entries())
          assert.isTrue(isSameRecord(proof, submitted[index] ?? proof));
        const all = [...known.added, ...added];
        const positions = new Map<string, string>();
        for (const { recordHash: hash, anchorId, leafIndex } of all) {
          const key = Buffer.from(hash).toString("hex");
          assert.equal(
            positions.get(key) ?? `${anchorId}/${leafIndex}`,
            `${anchorId}/${leafIndex}`,
            "one place for a hash",
          );
          positions.set(key, `${anchorId}/${leafIndex}`);
        }
        assert.lengthOf(new Set(positions.values()), positions.size, "one hash for a place");
        assert.lengthOf(
          new Set(all.map(({ documentId, metadata }) => `${documentId}/${metadata.timestamp}`)),
          all.length,
        );
        const own = added.filter(({ anchorId }) => anchorId === 2).map(({ leafIndex }) => leafIndex);
        assert.deepEqual(
          [...new Set(own)].sort((a, b) => a - b),
          hashes.map((_, index) => 5 + index),
        );
        assert.equal(accepted.filter(({ isNew }) => isNew).length, added.length);
      }),
    );
  });
});
