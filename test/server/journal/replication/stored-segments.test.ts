import { assert, expect } from "chai";
import type { SegmentTarget } from "../../../../server/journal/replication/segment-target.ts";
import type { SegmentManifest } from "../../../../server/journal/replication/segment.ts";
import { SegmentFault } from "../../../../server/journal/replication/segment-fault.ts";
import { SealbookError } from "../../../../server/errors.ts";
import { readSegments } from "../../../../server/journal/replication/segment-reader.ts";
import { packSegment } from "../../../../server/journal/replication/segment-file.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";
import { bucketPlace, folderPlace, JOURNAL, type ReplicaPlace } from "../../../support/replica-place.ts";
import { readAll, segmentsOf } from "../../../support/segments.ts";
import { sha256 } from "../../../support/sha256.ts";
import { thrownBy } from "../../../support/thrown.ts";

const manifest = (number: number): string => `000000000/00000000000${number}.json`;
const MARKER = "sealbook-replica.json";

for (const [kind, makePlace] of [
  ["folder", folderPlace],
  ["bucket", bucketPlace],
] as const) {
  describe(`segments in a ${kind}`, () => {
    let place: ReplicaPlace;
    let target: SegmentTarget;
    const journal = new MemoryJournal().grow(25);
    const segments = segmentsOf(journal, 10);
    const [first, second, third] = segments;
    assert(first !== undefined && second !== undefined && third !== undefined);

    const writeAll = async (): Promise<void> => {
      for (const segment of segments) expect(await target.write(segment)).to.equal(true);
    };
    const dataOf = async (number: number): Promise<string> => {
      const stored = await target.manifest(number);
      assert(stored !== undefined);
      return `000000000/${stored.file}`;
    };
    const faultOf = async (): Promise<SegmentFault> => {
      const error = await thrownBy(readAll(place.open()));
      assert.instanceOf(error, SegmentFault);
      return error;
    };
    const changeManifest = async (number: number, change: Partial<SegmentManifest>): Promise<void> => {
      const stored: object = JSON.parse((await place.get(manifest(number))).toString());
      await place.put(manifest(number), JSON.stringify({ ...stored, ...change }));
    };

    beforeEach(async () => {
      place = await makePlace();
      target = place.open();
    });
    afterEach(() => place.close());

    it("are none at first, and looking changes nothing", async () => {
      expect(await target.newest()).to.equal(undefined);
      expect(await readAll(target)).to.deep.equal([]);
      expect(await place.list()).to.deep.equal([]);
    });

    it("are written in their order and read back whole, with progress", async () => {
      await writeAll();
      expect(await place.list()).to.deep.equal(
        [await dataOf(1), manifest(1), await dataOf(2), manifest(2), await dataOf(3), manifest(3), MARKER].sort(),
      );
      const progress: [number, number, number][] = [];
      for await (const { lines, done, total } of readSegments(place.open())) progress.push([done, total, lines.length]);
      expect(progress).to.deep.equal([
        [1, 3, 10],
        [2, 3, 10],
        [3, 3, 5],
      ]);
      expect(await readAll(place.open())).to.deep.equal(journal.lineList);
      expect(await place.open().newest()).to.deep.include({ number: 3, first: 21, last: 25 });
      expect(JSON.parse((await place.get(MARKER)).toString())).to.deep.equal({
        format: "sealbook-replica/1",
        journal: JOURNAL,
      });
    });

    it("stay as they are when their number is written again", async () => {
      await target.write(first);
      const files = await place.list();
      const stored = await place.get(manifest(1));
      const [other] = segmentsOf(new MemoryJournal().grow(5, "other"), 5);
      assert(other !== undefined);
      expect(await target.write(other)).to.equal(false);
      expect(await place.open().write(first)).to.equal(false);
      expect(await place.list()).to.deep.equal(files);
      expect(await place.get(manifest(1))).to.deep.equal(stored);
    });

    it("have one winner when many write at once, and the losers leave nothing", async () => {
      // Different boundaries, as of relayers that saw different heads.
      const candidates = [3, 4, 5, 6, 7, 7, 7].map((size) => segmentsOf(journal, size)[0]);
      const results = await Promise.all(candidates.map((segment) => segment && place.open().write(segment)));
      expect(results.filter((won) => won === true)).to.have.length(1);
      const won = candidates[results.indexOf(true)];
      expect(await place.list()).to.deep.equal([await dataOf(1), manifest(1), MARKER].sort());
      expect(await readAll(place.open())).to.deep.equal(won?.lines);
    });

    it("do not follow what is not there, or is another", async () => {
      expect((await thrownBy(target.write(second))).message).to.include("does not have segment 1");
      const [other] = segmentsOf(new MemoryJournal().grow(10, "other"), 10);
      assert(other !== undefined);
      await target.write(other);
      expect((await thrownBy(target.write(second))).message).to.include("has another segment 1");
      expect(await place.list()).to.have.length(3);
    });

    it("go on after a crash between entries and manifest, with the same entries or others", async () => {
      await target.write(first);
      const same = await packSegment(second, new Date());
      await place.put(`000000000/${same.manifest.file}`, same.data);
      const [, shorter] = segmentsOf(new MemoryJournal().grow(13), 10);
      assert(shorter !== undefined);
      const other = await packSegment(shorter, new Date());
      await place.put(`000000000/${other.manifest.file}`, other.data);

      const next = place.open();
      expect(await next.newest()).to.include({ number: 1 });
      expect(await place.list(), "not removed while somebody may be writing it").to.have.length(5);
      expect(await next.write(second)).to.equal(true);
      expect(await place.list()).to.deep.equal(
        [await dataOf(1), manifest(1), await dataOf(2), manifest(2), MARKER].sort(),
      );
      expect(await readAll(place.open())).to.deep.equal(journal.lineList.slice(0, 20));
    });

    it("are tidied of what was left when another one took the number", async () => {
      await target.write(first);
      const left = `000000000/000000000001-${"0".repeat(16)}.ndjson.gz`;
      await place.put(left, "half");
      await place.open().newest();
      expect(await place.list()).not.to.include(left);
      expect(await readAll(place.open())).to.have.length(10);
    });

    it("are looked for in the newest directory that has any", async () => {
      await writeAll();
      await place.put(`000000001/000000001000-${"0".repeat(16)}.ndjson.gz`, "left by a crash");
      await place.put("lost+found/file", "not ours");
      await place.put("000000000/000000000009.json.bak", "not ours");
      expect(await place.open().newest()).to.include({ number: 3 });
    });

    it("are refused to another journal, for reading and writing", async () => {
      await target.write(first);
      const foreign = place.open("1:0xbb");
      for (const work of [() => foreign.newest(), () => foreign.write(second), () => readAll(foreign)]) {
        const error = await thrownBy(work());
        assert.instanceOf(error, SealbookError);
        expect(error.code).to.equal("conflict");
        expect(error.message).to.include(`belongs to the journal ${JOURNAL}, not to 1:0xbb`);
      }
    });

    it("are refused when their marker is gone, or none", async () => {
      await writeAll();
      await place.remove(MARKER);
      expect((await thrownBy(target.newest())).message).to.include(
        "has lost its sealbook-replica.json: is it mounted?",
      );
      expect((await thrownBy(place.open().newest())).message).to.include("has segments, but no sealbook-replica.json");
      for (const content of ["", "{", "[]", '{"format":"another/1","journal":"x"}']) {
        await place.put(MARKER, content);
        expect((await thrownBy(place.open().newest())).message).to.include("cannot be understood");
      }
    });

    it("are not begun anew where there were some", async () => {
      await writeAll();
      await target.newest();
      for (const key of await place.list()) if (key !== MARKER) await place.remove(key);
      expect((await thrownBy(target.newest())).message).to.include("has lost the segments that it had");
    });

    describe("that were tampered with", () => {
      beforeEach(writeAll);

      it("are read up to the one at fault, which gives out nothing", async () => {
        const data = await place.get(await dataOf(2));
        data[20] = (data[20] ?? 0) ^ 0x10;
        await place.put(await dataOf(2), data);
        const read: number[] = [];
        const error = await thrownBy(
          (async () => {
            for await (const segment of readSegments(place.open())) read.push(segment.manifest.number);
          })(),
        );
        expect(read).to.deep.equal([1]);
        expect(error.message).to.match(/^segment 2: its file has SHA-256/);
      });

      it("are read up to the newest, when that is the one at fault", async () => {
        await place.put(manifest(3), "{");
        const read: number[] = [];
        const error = await thrownBy(
          (async () => {
            for await (const { done, total } of readSegments(place.open())) read.push(done, total);
          })(),
        );
        expect(read).to.deep.equal([1, 3, 2, 3]);
        expect(error.message).to.equal("segment 3: its manifest is not JSON");
        expect((await thrownBy(place.open().newest())).message, "and nothing is written after it").to.equal(
          error.message,
        );
      });

      it("are found out when an entry was changed and the file made to fit", async () => {
        const forged = segmentsOf(new MemoryJournal().grow(10).add('{"forged":true}').grow(9), 10)[1];
        assert(forged !== undefined);
        const packed = await packSegment(forged, new Date());
        await place.put(`000000000/${packed.manifest.file}`, packed.data);
        const { file, bytes, sha256: hash } = packed.manifest;
        await changeManifest(2, { file, bytes, sha256: hash });
        expect((await faultOf()).message).to.match(/^segment 2: its entries lead to digest/);
        await changeManifest(2, { digest: packed.manifest.digest });
        expect((await faultOf()).message, "then the next one does not follow").to.match(
          /^segment 3: goes on from digest/,
        );
      });

      it("are found out when two changed places", async () => {
        const [one, two] = [await place.get(manifest(1)), await place.get(manifest(2))];
        await place.put(manifest(1), two);
        await place.put(manifest(2), one);
        expect((await faultOf()).message).to.equal("segment 1: its manifest is that of segment 2");
      });

      it("are found out when two files changed places", async () => {
        const [one, two] = [await dataOf(1), await dataOf(2)];
        const [a, b] = [await place.get(one), await place.get(two)];
        await place.put(one, b);
        await place.put(two, a);
        expect((await faultOf()).segment).to.equal(1);
      });

      it("are found out when a manifest or a file is missing", async () => {
        const file = await dataOf(2);
        await place.remove(file);
        expect((await faultOf()).message).to.match(/^segment 2: its file .* is missing$/);
        await place.remove(manifest(2));
        expect((await faultOf()).message).to.equal("segment 2: is missing, though there are segments up to 3");
      });

      it("are found out when a file is cut off or grew", async () => {
        const file = await dataOf(3);
        const data = await place.get(file);
        await place.put(file, data.subarray(0, data.length / 2));
        expect((await faultOf()).message).to.match(/^segment 3: its file has \d+ bytes, but its manifest says \d+$/);
        await place.put(file, Buffer.concat([data, Buffer.alloc(1)]));
        expect((await faultOf()).message).to.match(/^segment 3: .* bytes, more than the \d+ it should/);
        await place.put(file, "");
        expect((await faultOf()).segment).to.equal(3);
      });

      it("are found out when anything in a manifest was changed", async () => {
        const other = sha256(Buffer.from("other"));
        const changes: readonly [Partial<SegmentManifest>, RegExp][] = [
          [{ number: 3 }, /that of segment 3/],
          [{ first: 12 }, /begins with entry 12/],
          [{ last: 19 }, /has 10 entries, but its manifest says 9/],
          [{ last: 21 }, /has 10 entries, but its manifest says 11/],
          [{ previous_digest: other }, /goes on from digest/],
          [{ digest: other }, /its entries lead to digest/],
          [{ sha256: other }, /names the file/],
          [{ file: "../../etc/passwd" }, /names the file/],
          [{ bytes: 3 }, /more than the 3 it should/],
          [{ bytes: 10_000 }, /but its manifest says 10000/],
        ];
        const stored = await place.get(manifest(2));
        for (const [change, message] of changes) {
          await changeManifest(2, change);
          const fault = await faultOf();
          expect(fault.message).to.match(message);
          expect(fault.segment).to.equal(2);
          await place.put(manifest(2), stored);
        }
        await place.put(manifest(2), "{");
        expect((await faultOf()).message).to.equal("segment 2: its manifest is not JSON");
        await place.put(manifest(2), Buffer.alloc(5_000, " "));
        expect((await faultOf()).message).to.include("5000 bytes");
      });
    });
  });
}
