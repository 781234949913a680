import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { createJournal, type Journal } from "../../../server/composition/journal.ts";
import { recordHash } from "../../../server/journal/integrity/record-hash.ts";
import { AnchorWriter, type ClosedBatch, type Written } from "../../../server/proofs/anchor-writer.ts";
import { ProofQueue } from "../../../server/proofs/proof-queue.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { KEY } from "../../support/journal-key.ts";
import { thrownBy } from "../../support/thrown.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

for (const engine of ENGINES)
  describe(`proofs that wait in an open batch, on ${engine}`, () => {
    let opened: TestDatabase;
    let journal: Journal;
    let queue: ProofQueue;
    let closed: ClosedBatch[];
    /** Whether the next write fails, though it is on disk. */
    let isUnanswered: boolean;

    beforeEach(async () => {
      opened = await openTestDatabase(engine);
      journal = createJournal(opened.database, KEY, ADDRESSES);
      closed = [];
      isUnanswered = false;
      const anchorCall = () => ({
        purpose: "anchor" as const,
        contract: "ProofAnchor" as const,
        data: randomBytes(36),
      });
      const writer = new AnchorWriter(journal, { anchorCall }, Date.now);
      queue = new ProofQueue({
        writer: {
          closeLeftOpen: () => writer.closeLeftOpen(),
          async write(work): Promise<Written> {
            const written = await writer.write(work);
            if (!isUnanswered) return written;
            isUnanswered = false;
            throw new Error("input/output error");
          },
        },
        tracker: {
          hashes: 0,
          // A batch stays open until it is old.
          sharedBatches: 1,
          onOutcome: () => undefined,
          add: () => undefined,
          track: (batches) => closed.push(...batches),
        },
        telemetry: { proofsAccepted: () => undefined, batchClosed: () => undefined, journalFailing: () => undefined },
        clock: Date.now,
        rules: { maxAgeMilliseconds: 2_000, leadMilliseconds: 0, gatherMilliseconds: 0 },
        maxInFlight: 1_000,
      });
      await queue.start();
    });
    afterEach(async () => {
      await queue.stop();
      await opened.close();
    });

    const accept = (documentId: string) => {
      const hash = randomBytes(32);
      const recorded = recordHash({ documentId, hash, timestamp: 1 });
      return queue.accept({ documentId, hash, metadata: { timestamp: 1 }, acceptedAt: 1, recordHash: recorded });
    };

    it("are closed once, with all that is on disk, after a write that has failed and is on disk", async () => {
      const first = await accept("first");
      isUnanswered = true;
      assert.isDefined(await thrownBy(accept("unanswered")));
      const later = await accept("later");
      await eventually(async () => assert.lengthOf(closed, 2));
      for (const { anchor } of closed) {
        const leaves = await journal.anchors.leaves(anchor.id);
        assert.equal(leaves.length, Math.max(1, anchor.size));
        assert.equal((await journal.anchors.states([anchor.id])).get(anchor.id)?.fault, undefined);
      }
      assert.equal(closed[0]?.anchor.id, first.proof.anchorId);
      assert.equal(closed[0]?.anchor.size, 2);
      assert.equal(closed[1]?.anchor.id, later.proof.anchorId);
    });
  });
