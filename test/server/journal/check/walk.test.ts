import { assert } from "chai";
import { findingText } from "../../../../server/journal/check/finding.ts";
import { JournalWalk } from "../../../../server/journal/check/walk.ts";
import { readHead } from "../../../../server/journal/entries/journal-rows.ts";
import { NOTHING_SETTLED, type SettledHead } from "../../../../server/journal/integrity/head-file.ts";
import type { AcceptedProof } from "../../../../server/proofs/proof.ts";
import { openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { JournalWriter } from "../../../support/journal-writer.ts";
import { KEY } from "../../../support/journal-key.ts";

describe("the walk over a journal", function () {
  let opened: TestDatabase;
  let writer: JournalWriter;
  beforeEach(async () => {
    opened = await openTestDatabase();
    writer = new JournalWriter(opened.database);
  });
  afterEach(() => opened.close());

  const walk = async (start: SettledHead = NOTHING_SETTLED): Promise<{ walked: JournalWalk; texts: string[] }> => {
    const { database } = opened;
    const texts: string[] = [];
    const walked = new JournalWalk({ database, key: KEY, onFinding: (each) => texts.push(findingText(each)) }, start);
    for await (const _ of walked.to(await readHead(database)));
    return { walked, texts };
  };
  /** A proof of the same recorded hash, with other metadata: it has the leaf of the first one. */
  const sharing = ({ documentId, hash, metadata, anchorId, leafIndex }: AcceptedProof): AcceptedProof =>
    writer.proof(anchorId, leafIndex, { documentId, hash, metadata: { ...metadata, source: "another" } });

  it("finds nothing in a batch whose first entry shares the leaf of an earlier one", async () => {
    const { proofs } = await writer.confirmed(2);
    const [earlier = assert.fail()] = proofs;
    await writer.journal.atomically(async (atomic) => {
      const anchorId = await atomic.anchors.open(1);
      await atomic.proofs.insert([sharing(earlier), writer.proof(anchorId, 0), writer.proof(anchorId, 1)]);
    });
    const { walked, texts } = await walk();
    assert.isEmpty(texts);
    assert.equal(walked.pending, 2);
    assert.isEmpty(await walked.lostAnchors());
  });

  it("begins again before an anchor that overlaps an open one", async () => {
    await writer.confirmed(1);
    const long = await writer.open(1);
    const between = await writer.open(3);
    await writer.close(between.anchorId, between.proofs);
    const last = writer.proof(long.anchorId, 1);
    await writer.journal.proofs.insert([last]);
    await writer.recordOutcome(await writer.close(long.anchorId, [...long.proofs, last]));
    const { walked } = await walk();
    assert.deepEqual([walked.settled.sequence, walked.settled.anchor], [2, 1]);
    const again = await walk(walked.settled);
    assert.isEmpty(again.texts);
    assert.equal(again.walked.pending, 3);
    await writer.confirmed(1);
    assert.isEmpty((await walk(again.walked.settled)).texts);
  });

  // Security, database: cannot have a confirmed anchor replaced by one of fewer proofs, by deleting its row
  it("takes no proof that shares a leaf for the first one of an anchor", async () => {
    const { proofs } = await writer.confirmed(2);
    const { settled } = (await walk()).walked;
    const [earlier = assert.fail()] = proofs;
    await writer.journal.proofs.insert([sharing(earlier)]);
    await opened.database.deleteFrom("anchors").execute();
    const { walked, texts } = await walk(settled);
    assert.isEmpty(texts);
    assert.isEmpty(await walked.lostAnchors());
    assert.match(String((await walk()).texts[0]), /^anchor 1 .entry 3.: it is not there/);
  });
});
