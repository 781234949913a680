import { assert } from "chai";
import type { Subject } from "../../../../server/journal/reconciliation/divergence.ts";
import { ReplicaCheck } from "../../../../server/journal/reconciliation/replica-check.ts";
import type { ObjectStore } from "../../../../server/journal/replication/object-store.ts";
import { replicaObjects } from "../../../../server/journal/replication/replica-reader.ts";
import { GrownJournal } from "../../../support/grown-journal.ts";
import { KEY } from "../../../support/journal-key.ts";
import { type FolderReplica, folderReplica, storeRows } from "../../../support/test-replica.ts";

describe("the check of a replica", () => {
  let journal: GrownJournal;
  let replica: FolderReplica;
  let store: ObjectStore;
  let names: string[];
  let found: string[];

  /** Checks it. */
  async function check(replicated = 20): Promise<string | undefined> {
    let outcome: string | undefined;
    const divergences = {
      async diverged(_: Subject, message: string): Promise<boolean> {
        outcome = message;
        return true;
      },
      async resolved(): Promise<void> {
        outcome = "agrees";
      },
      unchecked(): void {
        outcome = "unchecked";
      },
    };
    const checked = new ReplicaCheck({
      entries: journal.source,
      divergences,
      onUnreachable: (name) => found.push(name),
    });
    const objects = () => replicaObjects(store, KEY);
    await checked.run({ name: "disk", replicated: () => replicated, objects }, () => false);
    return outcome;
  }

  beforeEach(async () => {
    journal = await GrownJournal.open();
    replica = await folderReplica();
    store = replica.open();
    names = [];
    found = [];
    for (let row = 0; row < 2; row += 1) await journal.grow(10);
    for (const row of await journal.rows()) names.push(await storeRows(store, [row]));
  });
  afterEach(async () => {
    await replica.close();
    await journal.close();
  });

  it("agrees with a whole one, also while entries are not replicated yet", async () => {
    assert.equal(await check(), "agrees");
    await journal.grow(10);
    assert.equal(await check(), "agrees");
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
    assert.equal(await check(), "unchecked");
    assert.deepEqual(found, ["disk"]);
  });
});
