import { mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, expect } from "chai";
import type { SegmentTarget } from "../../../../server/journal/replication/segment-target.ts";
import { FolderStore } from "../../../../server/journal/replication/folder-store.ts";
import { StoredSegments } from "../../../../server/journal/replication/stored-segments.ts";
import { formatManifest } from "../../../../server/journal/replication/manifest.ts";
import { packSegment } from "../../../../server/journal/replication/segment-file.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";
import { type FolderPlace, folderPlace, JOURNAL } from "../../../support/replica-place.ts";
import { readAll, segmentsOf } from "../../../support/segments.ts";
import { thrownBy } from "../../../support/thrown.ts";

describe("folder as a target", () => {
  let place: FolderPlace;
  let target: SegmentTarget;
  const journal = new MemoryJournal().grow(30);
  const [first, second, third] = segmentsOf(journal, 10);
  assert(first !== undefined && second !== undefined && third !== undefined);

  beforeEach(async () => {
    place = await folderPlace();
    target = place.open();
  });
  afterEach(() => place.close());

  it("is never made", async () => {
    await rm(place.path, { recursive: true });
    for (const work of [() => target.newest(), () => target.write(first)]) {
      expect((await thrownBy(work())).message).to.include(`${place.path} does not exist: is it mounted?`);
    }
    expect((await thrownBy(stat(place.path))).message).to.include("ENOENT");
    await writeFile(place.path, "a file");
    expect((await thrownBy(target.newest())).message).to.include("is not a folder");
  });

  it("that was unmounted, with an empty folder under it, gets nothing", async () => {
    await target.write(first);
    await place.goAway();
    await mkdir(place.path);
    expect((await thrownBy(target.write(second))).message).to.include("does not have segment 1");
    expect((await thrownBy(target.newest())).message).to.include("is it mounted?");
    expect(await readdir(place.path)).to.deep.equal([]);
    await rm(place.path, { recursive: true });
    await place.comeBack();
    expect(await target.newest()).to.include({ number: 1 });
    expect(await target.write(second)).to.equal(true);
    expect(await readAll(target)).to.have.length(20);
  });

  it("has to be where something is mounted, when that is asked for", async () => {
    const unmounted = new StoredSegments(
      new FolderStore({ name: "disk", path: place.path, mountPoint: true }),
      JOURNAL,
    );
    expect((await thrownBy(unmounted.newest())).message).to.equal(`nothing is mounted at ${place.path}`);
    expect((await thrownBy(unmounted.write(first))).message).to.equal(`nothing is mounted at ${place.path}`);
    const mounted = new StoredSegments(new FolderStore({ name: "disk", path: "/proc", mountPoint: true }), JOURNAL);
    expect(await mounted.newest()).to.equal(undefined);
  });

  it("keeps what it has from others on the machine", async () => {
    await target.write(first);
    for (const key of await place.list()) expect((await stat(join(place.path, key))).mode & 0o077, key).to.equal(0);
  });

  it("forgets what was being written when a process ended, but not what may be being written", async () => {
    await target.write(first);
    await place.put("000000000/000000000002.json.old.tmp", "{");
    await place.put("000000000/000000000002.json.new.tmp", "{");
    await place.age("000000000/000000000002.json.old.tmp", 7_200_000);
    expect(await target.newest()).to.include({ number: 1 });
    const files = await place.list();
    expect(files).to.include("000000000/000000000002.json.new.tmp");
    expect(files).not.to.include("000000000/000000000002.json.old.tmp");
    expect(await target.write(second)).to.equal(true);
  });

  it("goes on in the next directory after a thousand", async () => {
    const many = segmentsOf(new MemoryJournal().grow(1_003), 1);
    await target.write(first);
    // As if all up to there had been written.
    const [before] = many.slice(998);
    assert(before !== undefined);
    await place.put("000000000/000000000999.json", formatManifest((await packSegment(before, new Date())).manifest));
    for (const segment of many.slice(999)) expect(await target.write(segment)).to.equal(true);
    const directories = (await readdir(place.path)).filter((name) => /^\d+$/.test(name));
    expect(directories).to.deep.equal(["000000000", "000000001"]);
    expect(await readdir(join(place.path, "000000001"))).to.have.length(8);
    expect(await target.newest()).to.include({ number: 1_003 });
    expect(await place.open().newest()).to.include({ number: 1_003 });
  });

  it("may be reached by a link", async () => {
    const path = `${place.path}-link`;
    await symlink(place.path, path);
    expect(
      await new StoredSegments(new FolderStore({ name: "link", path, mountPoint: false }), JOURNAL).write(first),
    ).to.equal(true);
    expect(await readAll(target)).to.have.length(10);
  });
});
