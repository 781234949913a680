import { assert } from "chai";
import type { ObjectStore } from "../../../../server/journal/replication/object-store.ts";
import { encodeRows, objectName } from "../../../../server/journal/replication/replica-object.ts";
import { replicaObjects, replicatedJournal } from "../../../../server/journal/replication/replica-reader.ts";
import type { StoredRow } from "../../../../server/journal/entries/journal-row.ts";
import { KEY } from "../../../support/journal-key.ts";
import { JournalKey } from "../../../../server/journal/integrity/journal-key.ts";
import { GrownJournal } from "../../../support/grown-journal.ts";
import {
  bucketReplica,
  folderReplica,
  JOURNAL,
  NAMED,
  readAll,
  storeRows,
  type TestReplica,
} from "../../../support/test-replica.ts";
import { thrownBy } from "../../../support/thrown.ts";

for (const [kind, makeReplica] of [
  ["folder", folderReplica],
  ["bucket", bucketReplica],
] as const) {
  describe(`reading a replica in a ${kind}`, () => {
    let journal: GrownJournal;
    let rows: StoredRow[];
    let replica: TestReplica;
    let store: ObjectStore;
    /** Names of three objects, with two rows each. */
    let names: string[];

    before(async () => {
      journal = await GrownJournal.open();
      for (let row = 0; row < 6; row += 1) await journal.grow(10);
      rows = await journal.rows();
    });
    after(() => journal.close());
    beforeEach(async () => {
      replica = await makeReplica();
      store = replica.open();
      names = [];
      for (const from of [0, 2, 4]) names.push(await storeRows(store, rows.slice(from, from + 2)));
    });
    afterEach(() => replica.close());

    const nameAt = (index: number): string => names[index] ?? assert.fail(`there is no object ${index}`);
    const change = async (index: number, work: (content: Buffer) => Uint8Array): Promise<void> =>
      replica.put(nameAt(index), work(await replica.get(nameAt(index))));
    const fault = async (): Promise<string> => {
      const { name, message } = await thrownBy(readAll(store));
      assert.equal(name, "ReplicaFault");
      return message;
    };
    const bytes = (read: readonly StoredRow[]) => Buffer.concat(read.flatMap(({ code, body }) => [code, body]));

    it("returns the rows as the journal has them, and its name", async () => {
      const read = await readAll(store);
      assert.deepEqual(bytes(read), bytes(rows));
      assert.deepEqual(
        read.map(({ first, last, proofs }) => [first, last, proofs]),
        rows.map(({ first, last, proofs }) => [first, last, proofs]),
      );
      assert.equal(await replicatedJournal(store, KEY), JOURNAL);
    });

    it("returns nothing, and no name, from an empty one", async () => {
      for (const name of names) await replica.remove(name);
      assert.isEmpty(await readAll(store));
      assert.isUndefined(await replicatedJournal(store, KEY));
    });

    it("ignores objects with other names", async () => {
      await replica.put("lost+found/x", "");
      await replica.put("0000000/000000000001.old", "x");
      await replica.put(`0000009/${nameAt(0).slice(8)}`, "x");
      assert.lengthOf(await readAll(store), 6);
    });

    for (const [position, message] of [
      [0, /^the entries 1 to 20 are missing before /],
      [1, /^the entries 21 to 40 are missing before /],
    ] as const)
      it(`finds that object ${position + 1} is missing`, async () => {
        await replica.remove(nameAt(position));
        assert.match(await fault(), message);
      });

    it("takes doubled rows once", async () => {
      await storeRows(store, rows.slice(1, 3));
      await storeRows(store, rows.slice(0, 1));
      await storeRows(store, rows.slice(0, 4));
      assert.deepEqual(bytes(await readAll(store)), bytes(rows));
    });

    it("finds a truncated object", async () => {
      for (const cut of [1, 50, 200]) {
        const before = await replica.get(nameAt(1));
        await change(1, (content) => content.subarray(0, content.length - cut));
        assert.include(await fault(), nameAt(1));
        await replica.put(nameAt(1), before);
      }
      await change(1, () => Buffer.alloc(0));
      assert.match(await fault(), /is no object of a replica$/);
    });

    it("finds an object without its last row", async () => {
      await replica.put(nameAt(1), encodeRows(NAMED, rows.slice(2, 3)));
      assert.match(await fault(), /has other entries than its name says$/);
    });

    it("finds an exchanged object", async () => {
      const other = await replica.get(nameAt(2));
      await change(1, () => other);
      assert.match(await fault(), /has other entries than its name says$/);
    });

    it("finds each changed byte of a row", async () => {
      const length = (await replica.get(nameAt(1))).indexOf("\n") + 1;
      for (const at of [7, 15, 23, 30, 60, 91, 100, 140]) {
        const before = await replica.get(nameAt(1));
        await change(1, (content) => {
          const changed = Buffer.from(content);
          changed.writeUInt8(changed.readUInt8(length + at) ^ 1, length + at);
          return changed;
        });
        assert.include(await fault(), nameAt(1), `byte ${at}`);
        await replica.put(nameAt(1), before);
      }
    });

    it("finds an object of another journal, and of one with another key", async () => {
      const key = JournalKey.generate();
      const foreign = await GrownJournal.open(key);
      try {
        for (let row = 0; row < 4; row += 1) await foreign.grow(10, "other");
        const others = await foreign.rows();
        await replica.remove(nameAt(1));
        const name = await storeRows(store, others.slice(2, 4));
        assert.include(await fault(), `in ${name} were changed, or are another journal's`);
        await replica.remove(name);
        // The same texts: only the codes differ.
        const recoded = rows.slice(2, 4).map((row) => ({ ...row, code: key.codeOf(row) }));
        await storeRows(store, recoded);
        assert.match(await fault(), /were changed, or are another journal's$/);
        assert.lengthOf(
          await Array.fromAsync(replicaObjects(store, undefined)),
          3,
          "without a key the digests have to fit",
        );
      } finally {
        await foreign.close();
      }
    });

    it("finds a changed name of the journal, which is restored with", async () => {
      const other = JOURNAL.replace("7325", "7326");
      for (const index of [0, 1, 2])
        await change(index, (content) => Buffer.from(content.toString("latin1").replace(JOURNAL, other), "latin1"));
      const message = /is another journal's, or the name of the journal in it was changed$/;
      assert.match(await fault(), message);
      assert.match((await thrownBy(replicatedJournal(store, KEY))).message, message);
      assert.equal(await replicatedJournal(store, undefined), other, "without a key it is taken as it is");
      await change(1, (content) => Buffer.from(content.toString("latin1").replace(other, JOURNAL), "latin1"));
      const unkeyed = await thrownBy(Array.fromAsync(replicaObjects(store, undefined)));
      assert.match(unkeyed.message, /names another journal than those before it$/);
    });

    it("reads no object that is longer than any can be", async () => {
      const limited: ObjectStore = {
        ...store,
        name: "",
        list: (after) => store.list(after),
        get: async () => undefined,
        put: async () => undefined,
      };
      assert.match((await thrownBy(readAll(limited))).message, /cannot be read$/);
      assert.isUndefined(await store.get(nameAt(0), 10));
    });

    it("finds names in the order of their entries, across folders", async () => {
      const far = objectName(3_000_001, { last: 3_000_002, digest: Buffer.alloc(32) });
      await replica.put(far, "");
      const listed = await Array.fromAsync(store.list(""));
      assert.deepEqual(listed, [...names, far]);
      assert.deepEqual(await Array.fromAsync(store.list(nameAt(1))), [nameAt(2), far]);
      assert.deepEqual(await Array.fromAsync(store.list(far)), []);
    });
  });
}
