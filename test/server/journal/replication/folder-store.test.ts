import { mkdir, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assert } from "chai";
import { FolderStore } from "../../../../server/journal/replication/folder-store.ts";
import type { ObjectStore } from "../../../../server/journal/replication/object-store.ts";
import { type FolderReplica, folderReplica } from "../../../support/test-replica.ts";
import { thrownBy } from "../../../support/thrown.ts";

const NAME = "0000000/one";
const CONTENT = Buffer.from("content");

describe("a folder", () => {
  let replica: FolderReplica;
  let store: ObjectStore;
  beforeEach(async () => {
    replica = await folderReplica();
    store = replica.open();
  });
  afterEach(() => replica.close());

  const uses = (used: ObjectStore) => [
    () => Array.fromAsync(used.list("")),
    () => used.get(NAME, 100),
    () => used.put(NAME, CONTENT),
  ];

  it("is never created", async () => {
    await rm(replica.path, { recursive: true });
    for (const use of uses(store))
      assert.include((await thrownBy(use())).message, `${replica.path} does not exist: is it mounted?`);
    assert.include((await thrownBy(stat(replica.path))).message, "ENOENT");
    await writeFile(replica.path, "a file");
    for (const use of uses(store)) assert.include((await thrownBy(use())).message, "is not a folder");
  });

  it("must be a mount point, if configured", async () => {
    const unmounted = new FolderStore({ name: "disk", path: replica.path, mountPoint: true });
    for (const use of uses(unmounted))
      assert.equal((await thrownBy(use())).message, `nothing is mounted at ${replica.path}`);
    const mounted = new FolderStore({ name: "disk", path: "/proc", mountPoint: true });
    assert.isUndefined(await mounted.get("none/none", 1));
  });

  it("keeps an object as it was first stored", async () => {
    await store.put(NAME, CONTENT);
    await store.put(NAME, Buffer.from("other"));
    assert.deepEqual(await store.get(NAME, 100), CONTENT);
    assert.isUndefined(await store.get("0000000/two", 100));
  });

  it("is inaccessible to other users of the machine", async () => {
    await store.put(NAME, CONTENT);
    assert.equal((await stat(join(replica.path, NAME))).mode & 0o077, 0);
  });

  it("lists nothing of an upload that a crash has ended", async () => {
    await replica.put("0000000/one.5c2e.tmp", "con");
    assert.isEmpty(await Array.fromAsync(store.list("")));
    await store.put(NAME, CONTENT);
    assert.deepEqual(await Array.fromAsync(store.list("")), [NAME]);
  });

  it("lists in the order of the names, after one", async () => {
    for (const name of ["0000001/b", "0000000/a", "0000001/a", "0000002/a"]) await store.put(name, CONTENT);
    await mkdir(join(replica.path, "lost+found"));
    await writeFile(join(replica.path, "lost+found/a"), CONTENT);
    assert.deepEqual(await Array.fromAsync(store.list("0000001/a")), ["0000001/b", "0000002/a"]);
    assert.deepEqual(await Array.fromAsync(store.list("0000001/")), ["0000001/a", "0000001/b", "0000002/a"]);
    assert.lengthOf(await Array.fromAsync(store.list("")), 4);
  });

  it("can be a symbolic link", async () => {
    const path = `${replica.path}-link`;
    await symlink(replica.path, path);
    await new FolderStore({ name: "link", path, mountPoint: false }).put(NAME, CONTENT);
    assert.deepEqual(await store.get(NAME, 100), CONTENT);
    assert.deepEqual(await readdir(replica.path), ["0000000"]);
  });
});
