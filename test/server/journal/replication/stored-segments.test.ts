import { assert, expect } from "chai";
import { readSegments, type SegmentTarget } from "../../../../server/journal/replication/segment-target.ts";
import { SegmentFault, type SegmentManifest } from "../../../../server/journal/replication/segment.ts";
import { SealbookError } from "../../../../server/errors.ts";
import { packSegment } from "../../../../server/journal/replication/segment-file.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";
import { bucketReplica, folderReplica, JOURNAL, type TestReplica } from "../../../support/test-replica.ts";
import { readAll, segmentsOf } from "../../../support/segments.ts";
import { sha256 } from "../../../support/sha256.ts";
import { thrownBy } from "../../../support/thrown.ts";

const manifest = (number: number): string => `000000000/00000000000${number}.json`;
const MARKER = "sealbook-replica.json";

for (const [kind, makeReplica] of [
  ["folder", folderReplica],
  ["bucket", bucketReplica],
] as const) {
  describe(`segments in a ${kind}`, () => {
    let replica: TestReplica;
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
      const error = await thrownBy(readAll(replica.open()));
      assert.instanceOf(error, SegmentFault);
      return error;
    };
    const changeManifest = async (number: number, change: Partial<SegmentManifest>): Promise<void> => {
      const stored: object = JSON.parse((await replica.get(manifest(number))).toString());
      await replica.put(manifest(number), JSON.stringify({ ...stored, ...change }));
    };

    beforeEach(async () => {
      replica = await makeReplica();
      target = replica.open();
    });
    afterEach(() => replica.close());

    it("are empty at first, and reading changes nothing", async () => {
      expect(await target.newest()).to.equal(undefined);
      expect(await readAll(target)).to.deep.equal([]);
      expect(await replica.list()).to.deep.equal([]);
    });

    it("are written in order and read completely, with progress", async () => {
      await writeAll();
      expect(await replica.list()).to.deep.equal(
        [await dataOf(1), manifest(1), await dataOf(2), manifest(2), await dataOf(3), manifest(3), MARKER].sort(),
      );
      const progress: [number, number, number][] = [];
      for await (const { lines, done, total } of readSegments(replica.open()))
        progress.push([done, total, lines.length]);
      expect(progress).to.deep.equal([
        [1, 3, 10],
        [2, 3, 10],
        [3, 3, 5],
      ]);
      expect(await readAll(replica.open())).to.deep.equal(journal.lineList);
      expect(await replica.open().newest()).to.deep.include({ number: 3, first: 21, last: 25 });
      expect(JSON.parse((await replica.get(MARKER)).toString())).to.deep.equal({
        format: "sealbook-replica/1",
        journal: JOURNAL,
      });
    });

    it("stay unchanged when their number is written again", async () => {
      await target.write(first);
      const files = await replica.list();
      const stored = await replica.get(manifest(1));
      const [other] = segmentsOf(new MemoryJournal().grow(5, "other"), 5);
      assert(other !== undefined);
      expect(await target.write(other)).to.equal(false);
      expect(await replica.open().write(first)).to.equal(false);
      expect(await replica.list()).to.deep.equal(files);
      expect(await replica.get(manifest(1))).to.deep.equal(stored);
    });

    it("have one winner of concurrent writes, and the losers leave nothing", async () => {
      // Different boundaries, as of relayers that saw different heads.
      const candidates = [3, 4, 5, 6, 7, 7, 7].map((size) => segmentsOf(journal, size)[0]);
      const results = await Promise.all(candidates.map((segment) => segment && replica.open().write(segment)));
      expect(results.filter((won) => won === true)).to.have.length(1);
      const won = candidates[results.indexOf(true)];
      expect(await replica.list()).to.deep.equal([await dataOf(1), manifest(1), MARKER].sort());
      expect(await readAll(replica.open())).to.deep.equal(won?.lines);
    });

    it("are rejected after a missing or different segment", async () => {
      expect((await thrownBy(target.write(second))).message).to.include("does not have segment 1");
      const [other] = segmentsOf(new MemoryJournal().grow(10, "other"), 10);
      assert(other !== undefined);
      await target.write(other);
      expect((await thrownBy(target.write(second))).message).to.include("has another segment 1");
      expect(await replica.list()).to.have.length(3);
    });

    it("continue after a crash between entries and manifest, with the same entries or others", async () => {
      await target.write(first);
      const same = await packSegment(second, new Date());
      await replica.put(`000000000/${same.manifest.file}`, same.data);
      const [, shorter] = segmentsOf(new MemoryJournal().grow(13), 10);
      assert(shorter !== undefined);
      const other = await packSegment(shorter, new Date());
      await replica.put(`000000000/${other.manifest.file}`, other.data);

      const next = replica.open();
      expect(await next.newest()).to.include({ number: 1 });
      expect(await replica.list(), "not removed while another process may write it").to.have.length(5);
      expect(await next.write(second)).to.equal(true);
      expect(await replica.list()).to.deep.equal(
        [await dataOf(1), manifest(1), await dataOf(2), manifest(2), MARKER].sort(),
      );
      expect(await readAll(replica.open())).to.deep.equal(journal.lineList.slice(0, 20));
    });

    it("are cleaned of temporary files when another writer took the number", async () => {
      await target.write(first);
      const left = `000000000/000000000001-${"0".repeat(16)}.ndjson.gz`;
      await replica.put(left, "half");
      await replica.open().newest();
      expect(await replica.list()).not.to.include(left);
      expect(await readAll(replica.open())).to.have.length(10);
    });

    it("are found in the newest directory with segments", async () => {
      await writeAll();
      await replica.put(`000000001/000000001000-${"0".repeat(16)}.ndjson.gz`, "left by a crash");
      await replica.put("lost+found/file", "not ours");
      await replica.put("000000000/000000000009.json.bak", "not ours");
      expect(await replica.open().newest()).to.include({ number: 3 });
    });

    it("are rejected for another journal, for reading and writing", async () => {
      await target.write(first);
      const foreign = replica.open("1:0xbb");
      for (const work of [() => foreign.newest(), () => foreign.write(second), () => readAll(foreign)]) {
        const error = await thrownBy(work());
        assert.instanceOf(error, SealbookError);
        expect(error.code).to.equal("conflict");
        expect(error.message).to.include(`belongs to the journal ${JOURNAL}, not to 1:0xbb`);
      }
    });

    it("are rejected with a missing or invalid marker", async () => {
      await writeAll();
      await replica.remove(MARKER);
      expect((await thrownBy(target.newest())).message).to.include(
        "has lost its sealbook-replica.json: is it mounted?",
      );
      expect((await thrownBy(replica.open().newest())).message).to.include(
        "has segments, but no sealbook-replica.json",
      );
      for (const content of ["", "{", "[]", '{"format":"another/1","journal":"x"}']) {
        await replica.put(MARKER, content);
        expect((await thrownBy(replica.open().newest())).message).to.include("cannot be understood");
      }
    });

    it("are not restarted in place of earlier ones", async () => {
      await writeAll();
      await target.newest();
      for (const key of await replica.list()) if (key !== MARKER) await replica.remove(key);
      expect((await thrownBy(target.newest())).message).to.include("has lost the segments that it had");
    });

    describe("with manipulated files", () => {
      beforeEach(writeAll);

      it("are read up to the fault, without its content", async () => {
        const data = await replica.get(await dataOf(2));
        data[20] = (data[20] ?? 0) ^ 0x10;
        await replica.put(await dataOf(2), data);
        const read: number[] = [];
        const error = await thrownBy(
          (async () => {
            for await (const segment of readSegments(replica.open())) read.push(segment.manifest.number);
          })(),
        );
        expect(read).to.deep.equal([1]);
        expect(error.message).to.match(/^segment 2: its file has SHA-256/);
      });

      it("are read up to the newest, when that has the fault", async () => {
        await replica.put(manifest(3), "{");
        const read: number[] = [];
        const error = await thrownBy(
          (async () => {
            for await (const { done, total } of readSegments(replica.open())) read.push(done, total);
          })(),
        );
        expect(read).to.deep.equal([1, 3, 2, 3]);
        expect(error.message).to.equal("segment 3: its manifest is not JSON");
        expect((await thrownBy(replica.open().newest())).message, "and nothing is written after it").to.equal(
          error.message,
        );
      });

      it("are rejected for a changed entry with a matching file", async () => {
        const forged = segmentsOf(new MemoryJournal().grow(10).add('{"forged":true}').grow(9), 10)[1];
        assert(forged !== undefined);
        const packed = await packSegment(forged, new Date());
        await replica.put(`000000000/${packed.manifest.file}`, packed.data);
        const { file, bytes, sha256: hash } = packed.manifest;
        await changeManifest(2, { file, bytes, sha256: hash });
        expect((await faultOf()).message).to.match(/^segment 2: its entries lead to digest/);
        await changeManifest(2, { digest: packed.manifest.digest });
        expect((await faultOf()).message, "then the next one does not follow").to.match(
          /^segment 3: goes on from digest/,
        );
      });

      it("are rejected for two swapped segments", async () => {
        const [one, two] = [await replica.get(manifest(1)), await replica.get(manifest(2))];
        await replica.put(manifest(1), two);
        await replica.put(manifest(2), one);
        expect((await faultOf()).message).to.equal("segment 1: its manifest is that of segment 2");
      });

      it("are rejected for two swapped files", async () => {
        const [one, two] = [await dataOf(1), await dataOf(2)];
        const [a, b] = [await replica.get(one), await replica.get(two)];
        await replica.put(one, b);
        await replica.put(two, a);
        expect((await faultOf()).segment).to.equal(1);
      });

      it("are rejected for a missing manifest or file", async () => {
        const file = await dataOf(2);
        await replica.remove(file);
        expect((await faultOf()).message).to.match(/^segment 2: its file .* is missing$/);
        await replica.remove(manifest(2));
        expect((await faultOf()).message).to.equal("segment 2: is missing, though there are segments up to 3");
      });

      it("are rejected for a truncated or extended file", async () => {
        const file = await dataOf(3);
        const data = await replica.get(file);
        await replica.put(file, data.subarray(0, data.length / 2));
        expect((await faultOf()).message).to.match(/^segment 3: its file has \d+ bytes, but its manifest has \d+$/);
        await replica.put(file, Buffer.concat([data, Buffer.alloc(1)]));
        expect((await faultOf()).message).to.match(/^segment 3: .* bytes, more than the \d+ it should/);
        await replica.put(file, "");
        expect((await faultOf()).segment).to.equal(3);
      });

      it("are rejected for any change of a manifest", async () => {
        const other = sha256(Buffer.from("other"));
        const changes: readonly [Partial<SegmentManifest>, RegExp][] = [
          [{ number: 3 }, /that of segment 3/],
          [{ first: 12 }, /begins with entry 12/],
          [{ last: 19 }, /has 10 entries, but its manifest has 9/],
          [{ last: 21 }, /has 10 entries, but its manifest has 11/],
          [{ previous_digest: other }, /goes on from digest/],
          [{ digest: other }, /its entries lead to digest/],
          [{ sha256: other }, /names the file/],
          [{ file: "../../etc/passwd" }, /names the file/],
          [{ bytes: 3 }, /more than the 3 it should/],
          [{ bytes: 10_000 }, /but its manifest has 10000/],
        ];
        const stored = await replica.get(manifest(2));
        for (const [change, message] of changes) {
          await changeManifest(2, change);
          const fault = await faultOf();
          expect(fault.message).to.match(message);
          expect(fault.segment).to.equal(2);
          await replica.put(manifest(2), stored);
        }
        await replica.put(manifest(2), "{");
        expect((await faultOf()).message).to.equal("segment 2: its manifest is not JSON");
        await replica.put(manifest(2), Buffer.alloc(5_000, " "));
        expect((await faultOf()).message).to.include("5000 bytes");
      });
    });
  });
}
