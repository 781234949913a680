import { assert } from "chai";
import type { OutcomeListener } from "../../../server/proofs/anchor-tracker.ts";
import type { Work, Written } from "../../../server/proofs/anchor-writer.ts";
import type { NewProof } from "../../../server/proofs/proof.ts";
import { ProofQueue } from "../../../server/proofs/proof-queue.ts";
import { eventually } from "../../support/eventually.ts";

const PERIOD = 5;
const HASH = new Uint8Array(32);
const PROOF: NewProof = {
  documentId: "document",
  hash: HASH,
  recordHash: HASH,
  metadata: { timestamp: 0 },
  acceptedAt: 0,
};

describe("the proof queue on a chain with regular blocks", () => {
  let now = 0;
  let batches = 0;
  let onOutcome: OutcomeListener = () => undefined;
  let queue: ProofQueue;

  /** Writes to nowhere, by the rules of the queue. */
  const write = async ({ open, singles, isDue }: Work): Promise<Written> => {
    const anchorId = open?.anchorId ?? batches + 1;
    const batch = {
      anchorId,
      openedAt: open?.openedAt ?? now,
      hashes: [...(open?.hashes ?? []), ...singles.map(({ recordHash }) => recordHash)],
    };
    const isClosed = isDue(batch);
    if (isClosed) batches += 1;
    const anchor = {
      id: anchorId,
      transactionId: anchorId,
      outcome: { state: "pending" },
      hash: HASH,
      size: 1,
    } as const;
    return {
      singles: singles.map((proof) => ({
        proof: { ...proof, anchorId, leafIndex: 0, sharesLeaf: false },
        isNew: true,
      })),
      bulks: [],
      added: [],
      closed: isClosed ? [{ anchor, isShared: true, tree: undefined }] : [],
      open: isClosed ? undefined : batch,
      lost: undefined,
    };
  };

  before(async () => {
    queue = new ProofQueue({
      writer: { write, closeLeftOpen: async () => [] },
      tracker: {
        hashes: 0,
        sharedBatches: 0,
        onOutcome: (listener) => (onOutcome = listener),
        add: () => undefined,
        track: () => undefined,
        leave: () => undefined,
      },
      telemetry: {
        proofsAccepted: () => undefined,
        batchClosed: () => undefined,
        journalFailing: (cause) => assert.fail(String(cause)),
      },
      clock: () => now,
      rules: { maxAgeMilliseconds: 60_000, gatherMilliseconds: 10 },
      maxInFlight: 100,
      takeOverMilliseconds: 3_600_000,
    });
    await queue.start();
  });
  after(() => queue.stop());

  /** Receives blocks until the newest one has a number. */
  const blocksUpTo = (last: number): void => {
    for (let number = last - 3; number <= last; number += 1) {
      now = number * PERIOD * 1_000;
      queue.onHead({ number, time: number * PERIOD });
    }
  };

  it("closes batches earlier after one that missed its block", async () => {
    blocksUpTo(10);
    const accepted = queue.accept(PROOF);
    now = 11 * PERIOD * 1_000 - 400;
    await accepted;
    await eventually(async () => assert.equal(batches, 1));
    onOutcome(1, 12);

    blocksUpTo(14);
    const next = queue.accept(PROOF);
    // 600 ms before the block; without the outcome it would be 400 ms.
    now = 15 * PERIOD * 1_000 - 600;
    await next;
    await eventually(async () => assert.equal(batches, 2));
  });
});
