import { createHash } from "node:crypto";
import { expect } from "chai";
import { GENESIS_DIGEST, nextDigest } from "../../../../server/journal/integrity/entry-chain.ts";
import {
  BEFORE_FIRST,
  endOf,
  makeSegment,
  type Segment,
  SEGMENT_FORMAT,
  SegmentFault,
  type SegmentManifest,
  verifySegment,
} from "../../../../server/journal/replication/segment.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

function manifestOf(segment: Segment, change: Partial<SegmentManifest> = {}): SegmentManifest {
  const { number, first, last, digest, previousDigest } = segment;
  return {
    format: SEGMENT_FORMAT,
    number,
    first,
    last,
    digest: hex(digest),
    previous_digest: hex(previousDigest),
    file: "file",
    bytes: 1,
    sha256: "00".repeat(32),
    created_at: "2026-01-01T00:00:00.000Z",
    ...change,
  };
}

describe("digest of the journal", () => {
  it("is SHA-256 of the previous digest and the text", () => {
    const expected = createHash("sha256").update(Buffer.alloc(32)).update('{"ü":"€"}', "utf8").digest();
    expect(nextDigest(GENESIS_DIGEST, '{"ü":"€"}')).to.deep.equal(expected);
  });
});

describe("segment", () => {
  const journal = new MemoryJournal().grow(30);
  const lines = journal.lineList;
  const first = makeSegment(BEFORE_FIRST, lines.slice(0, 10));
  const second = makeSegment(first, lines.slice(10, 25));

  it("starts after the previous one, and ends at the end of the journal", async () => {
    expect(first).to.include({ number: 1, first: 1, last: 10 });
    expect(second).to.include({ number: 2, first: 11, last: 25 });
    expect(second.previousDigest).to.deep.equal(first.digest);
    expect(second.digest).to.deep.equal(await journal.digestAt(25));
    expect(endOf(manifestOf(second))).to.deep.equal({ number: 2, last: 25, digest: second.digest });
  });

  it("rejects entries that are missing, repeated, out of order, empty, or longer than a line", () => {
    const make =
      (...chosen: readonly { sequence: number; text: string }[]) =>
      () =>
        makeSegment(BEFORE_FIRST, chosen);
    const line = (sequence: number, text = "{}") => ({ sequence, text });
    expect(make()).to.throw(SegmentFault, "segment 1: has no entries");
    expect(make(line(1), line(3))).to.throw(SegmentFault, "segment 1, entry 3: stands where entry 2 should");
    expect(make(line(1), line(1))).to.throw(SegmentFault, "segment 1, entry 1: stands where entry 2 should");
    expect(make(line(2))).to.throw(SegmentFault, "segment 1, entry 2: stands where entry 1 should");
    expect(make(line(1), line(2, ""))).to.throw(SegmentFault, "segment 1, entry 2: is empty");
    expect(make(line(1), line(2, "{\n}"))).to.throw(SegmentFault, "segment 1, entry 2: is more than one line");
  });

  it("reports differences from its manifest", () => {
    const check =
      (change: Partial<SegmentManifest>, texts = second.lines) =>
      () =>
        verifySegment(manifestOf(second, change), texts, first);
    expect(check({ number: 3 })).to.throw(SegmentFault, "segment 2: its manifest is that of segment 3");
    expect(check({ first: 12 })).to.throw(
      SegmentFault,
      "segment 2: begins with entry 12, but the segment before it ends with entry 10",
    );
    expect(check({ last: 10 })).to.throw(SegmentFault, "segment 2: ends with entry 10, before it begins with entry 11");
    expect(check({ last: 26 })).to.throw(SegmentFault, "segment 2: has 15 entries, but its manifest has 16");
    expect(check({ previous_digest: "00".repeat(32) })).to.throw(SegmentFault, "segment 2: goes on from digest 0000");
    expect(check({ digest: "11".repeat(32) })).to.throw(SegmentFault, "but its manifest has 1111");
    expect(check({}, second.lines.with(4, { sequence: 15, text: "{}" }))).to.throw(
      SegmentFault,
      "segment 2: its entries lead to digest",
    );
    expect(check({}, second.lines.with(4, { sequence: 16, text: "{}" }))).to.throw(
      SegmentFault,
      "segment 2, entry 16: stands where entry 15 should",
    );
  });
});
