import { gunzipSync, gzipSync } from "node:zlib";
import { assert, expect } from "chai";
import fc from "fast-check";
import {
  BEFORE_FIRST,
  makeSegment,
  type SegmentEnd,
  SegmentFault,
  type SegmentManifest,
  verifySegment,
} from "../../../../server/journal/replication/segment.ts";
import {
  formatManifest,
  type PackedSegment,
  packSegment,
  parseManifest,
  unpackSegment,
} from "../../../../server/journal/replication/segment-file.ts";
import { sha256 } from "../../../support/sha256.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";

const NOW = new Date("2026-02-03T04:05:06.789Z");

/** A file in another's place, with a manifest that fits it. */
function refit({ manifest }: PackedSegment, data: Buffer): PackedSegment {
  return { manifest: { ...manifest, bytes: data.length, sha256: sha256(data) }, data };
}

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail("nothing was wrong"),
    (thrown: unknown) => thrown,
  );
  assert.instanceOf(error, SegmentFault);
  return error.message;
}

describe("a segment file", () => {
  const segment = makeSegment(BEFORE_FIRST, new MemoryJournal().grow(50).lineList);

  it("returns all entries, for any division into segments", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.json({ maxDepth: 2 }).filter((text) => !text.includes("\n")),
          { minLength: 1, maxLength: 40 },
        ),
        fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 10 }),
        async (texts, sizes) => {
          const lines = new MemoryJournal().add(...texts).lineList;
          let made: SegmentEnd = BEFORE_FIRST;
          let verified: SegmentEnd = BEFORE_FIRST;
          const read: string[] = [];
          for (let turn = 0; made.last < lines.length; turn++) {
            const next = makeSegment(made, lines.slice(made.last, made.last + (sizes[turn % sizes.length] ?? 1)));
            const { manifest, data } = await packSegment(next, NOW);
            const stored = parseManifest(next.number, formatManifest(manifest));
            const unpacked = await unpackSegment(stored, data);
            const entries = unpacked.map((text, index) => ({ sequence: stored.first + index, text }));
            verified = verifySegment(stored, entries, verified);
            read.push(...unpacked);
            made = next;
          }
          expect(read).to.deep.equal(texts);
        },
      ),
      { numRuns: 100 },
    ));

  it("consists of lines in gzip, with a manifest that describes it", async () => {
    const { manifest, data } = await packSegment(segment, NOW);
    expect(gunzipSync(data).toString()).to.equal(segment.lines.map(({ text }) => `${text}\n`).join(""));
    expect(manifest).to.include({
      number: 1,
      first: 1,
      last: 50,
      bytes: data.length,
      sha256: sha256(data),
      created_at: NOW.toISOString(),
    });
    expect(manifest.file).to.equal(`000000000001-${sha256(data).slice(0, 16)}.ndjson.gz`);
  });

  it("is identical for identical entries", async () => {
    expect((await packSegment(segment, NOW)).data).to.deep.equal((await packSegment(segment, new Date())).data);
  });

  it("is rejected when truncated, compressed wrongly, or not text, also with a matching manifest", async () => {
    const packed = await packSegment(segment, NOW);
    const check = (data: Buffer): Promise<string> => {
      const { manifest } = refit(packed, data);
      return faultOf(unpackSegment(manifest, data));
    };
    expect(await faultOf(unpackSegment(packed.manifest, packed.data.subarray(0, -1)))).to.match(
      /its file has \d+ bytes, but its manifest has/,
    );
    expect(await check(packed.data.subarray(0, -9))).to.include("segment 1: its file cannot be decompressed");
    expect(await check(Buffer.from("{}\n{}\n"))).to.include("segment 1: its file cannot be decompressed");
    expect(await check(gzipSync('{"a":1}\n{"b":'))).to.equal("segment 1, entry 2: is cut off");
    expect(await check(gzipSync(Buffer.from([0x7b, 0x7d, 0x0a, 0xff, 0x0a])))).to.equal(
      "segment 1, entry 2: is not UTF-8",
    );
  });

  it("is decompressed within a memory limit", async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));
    const { manifest } = refit(await packSegment(segment, NOW), bomb);
    expect(await faultOf(unpackSegment(manifest, bomb))).to.include("cannot be decompressed");
  });

  describe("manifest", () => {
    const change = async (changes: Readonly<Record<string, unknown>>): Promise<Buffer> =>
      Buffer.from(
        JSON.stringify({ ...(await packSegment(segment, NOW)).manifest, ...changes } satisfies Partial<
          Record<keyof SegmentManifest, unknown>
        >),
      );

    it("is rejected with the reason when malformed", async () => {
      const wrong: readonly [Buffer, string][] = [
        [Buffer.from("{"), "is not JSON"],
        [Buffer.from("[]"), "is not one"],
        [await change({ format: "sealbook-segment/2" }), "format"],
        [await change({ number: 0 }), "number"],
        [await change({ number: 2 }), "that of segment 2"],
        [await change({ first: 1.5 }), "first"],
        [await change({ digest: "AB".repeat(32) }), "digest"],
        [await change({ bytes: 2 ** 40 }), "bytes"],
        [await change({ sha256: undefined }), "sha256"],
        [await change({ created_at: "yesterday" }), "created_at"],
        [await change({ more: 1 }), "more"],
      ];
      for (const [stored, message] of wrong) expect(() => parseManifest(1, stored)).to.throw(SegmentFault, message);
    });
  });
});
