import { assert } from "chai";
import { replicaDifference } from "../../../../server/journal/check/replica-check.ts";
import type { ObjectStore } from "../../../../server/journal/replication/object-store.ts";
import { replicaObjects } from "../../../../server/journal/replication/replica-reader.ts";
import { ReplicaFault } from "../../../../server/journal/replication/replica-object.ts";
import { GrownJournal } from "../../../support/grown-journal.ts";
import { KEY } from "../../../support/journal-key.ts";
import { type FolderReplica, folderReplica, storeRows } from "../../../support/test-replica.ts";
import { thrownBy } from "../../../support/thrown.ts";

describe("the check of a replica", () => {
  let journal: GrownJournal;
  let replica: FolderReplica;
  let store: ObjectStore;
  let names: string[];

  const check = (replicated = 20): Promise<string | undefined> =>
    replicaDifference(
      journal.database,
      KEY,
      { name: "disk", replicated: () => replicated, objects: () => replicaObjects(store, KEY) },
      () => false,
    );

  beforeEach(async () => {
    journal = await GrownJournal.open();
    replica = await folderReplica();
    store = replica.open();
    names = [];
    for (let row = 0; row < 2; row += 1) await journal.grow(10);
    for (const row of await journal.rows()) names.push(await storeRows(store, [row]));
  });
  afterEach(async () => {
    await replica.close();
    await journal.close();
  });

  it("agrees with a whole one, also while entries are not replicated yet", async () => {
    assert.isUndefined(await check());
    await journal.grow(10);
    assert.isUndefined(await check());
  });

  // Security, replica: cannot remove an object undetected
  it("finds that the newest objects are missing, also all of them", async () => {
    await replica.remove(names[1] ?? "");
    assert.match((await check()) ?? "", /it ends with entry 10, and had the entries up to 20$/);
    await replica.remove(names[0] ?? "");
    assert.match((await check()) ?? "", /it ends with entry 0, and had the entries up to 20$/);
  });

  it("finds entries that the journal does not have", async () => {
    await journal.database.deleteFrom("entries").where("first_sequence", ">", 10).execute();
    assert.match((await check()) ?? "", /does not have the journal's digest at entry 20$/);
  });

  it("leaves an unreachable one to its replicator", async () => {
    await replica.makeUnavailable();
    assert.notInstanceOf(await thrownBy(check()), ReplicaFault);
  });
});
