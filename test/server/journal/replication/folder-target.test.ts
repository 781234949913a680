import { mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, expect } from "chai";
import type { SegmentTarget } from "../../../../server/journal/replication/segment-target.ts";
import { FolderStore } from "../../../../server/journal/replication/folder-store.ts";
import { StoredSegments } from "../../../../server/journal/replication/stored-segments.ts";
import { formatManifest, packSegment } from "../../../../server/journal/replication/segment-file.ts";
import { MemoryJournal } from "../../../support/journal-source.ts";
import { type FolderReplica, folderReplica, JOURNAL } from "../../../support/test-replica.ts";
import { readAll, segmentsOf } from "../../../support/segments.ts";
import { thrownBy } from "../../../support/thrown.ts";

describe("a folder target", () => {
  let replica: FolderReplica;
  let target: SegmentTarget;
  const journal = new MemoryJournal().grow(30);
  const [first, second, third] = segmentsOf(journal, 10);
  assert(first !== undefined && second !== undefined && third !== undefined);

  beforeEach(async () => {
    replica = await folderReplica();
    target = replica.open();
  });
  afterEach(() => replica.close());

  it("is never created", async () => {
    await rm(replica.path, { recursive: true });
    for (const work of [() => target.newest(), () => target.write(first)]) {
      expect((await thrownBy(work())).message).to.include(`${replica.path} does not exist: is it mounted?`);
    }
    expect((await thrownBy(stat(replica.path))).message).to.include("ENOENT");
    await writeFile(replica.path, "a file");
    expect((await thrownBy(target.newest())).message).to.include("is not a folder");
  });

  it("receives nothing while it is unmounted with an empty folder in its place", async () => {
    await target.write(first);
    await replica.makeUnavailable();
    await mkdir(replica.path);
    expect((await thrownBy(target.write(second))).message).to.include("does not have segment 1");
    expect((await thrownBy(target.newest())).message).to.include("is it mounted?");
    expect(await readdir(replica.path)).to.deep.equal([]);
    await rm(replica.path, { recursive: true });
    await replica.makeAvailable();
    expect(await target.newest()).to.include({ number: 1 });
    expect(await target.write(second)).to.equal(true);
    expect(await readAll(target)).to.have.length(20);
  });

  it("requires a mount point, if configured", async () => {
    const unmounted = new StoredSegments(
      new FolderStore({ name: "disk", path: replica.path, mountPoint: true }),
      JOURNAL,
    );
    expect((await thrownBy(unmounted.newest())).message).to.equal(`nothing is mounted at ${replica.path}`);
    expect((await thrownBy(unmounted.write(first))).message).to.equal(`nothing is mounted at ${replica.path}`);
    const mounted = new StoredSegments(new FolderStore({ name: "disk", path: "/proc", mountPoint: true }), JOURNAL);
    expect(await mounted.newest()).to.equal(undefined);
  });

  it("is inaccessible to other users of the machine", async () => {
    await target.write(first);
    for (const key of await replica.list()) expect((await stat(join(replica.path, key))).mode & 0o077, key).to.equal(0);
  });

  it("removes temporary files of ended processes, and keeps those of running ones", async () => {
    await target.write(first);
    await replica.put("000000000/000000000002.json.old.tmp", "{");
    await replica.put("000000000/000000000002.json.new.tmp", "{");
    await replica.age("000000000/000000000002.json.old.tmp", 7_200_000);
    expect(await target.newest()).to.include({ number: 1 });
    const files = await replica.list();
    expect(files).to.include("000000000/000000000002.json.new.tmp");
    expect(files).not.to.include("000000000/000000000002.json.old.tmp");
    expect(await target.write(second)).to.equal(true);
  });

  it("continues in the next directory after a thousand files", async () => {
    const many = segmentsOf(new MemoryJournal().grow(1_003), 1);
    await target.write(first);
    // As if all up to there had been written.
    const [before] = many.slice(998);
    assert(before !== undefined);
    await replica.put("000000000/000000000999.json", formatManifest((await packSegment(before, new Date())).manifest));
    for (const segment of many.slice(999)) expect(await target.write(segment)).to.equal(true);
    const directories = (await readdir(replica.path)).filter((name) => /^\d+$/.test(name));
    expect(directories).to.deep.equal(["000000000", "000000001"]);
    expect(await readdir(join(replica.path, "000000001"))).to.have.length(8);
    expect(await target.newest()).to.include({ number: 1_003 });
    expect(await replica.open().newest()).to.include({ number: 1_003 });
  });

  it("can be a symbolic link", async () => {
    const path = `${replica.path}-link`;
    await symlink(replica.path, path);
    expect(
      await new StoredSegments(new FolderStore({ name: "link", path, mountPoint: false }), JOURNAL).write(first),
    ).to.equal(true);
    expect(await readAll(target)).to.have.length(10);
  });
});
