import { assert } from "chai";
import { findingText } from "../../../scripts/journal/finding.ts";
import { JournalCheck } from "../../../scripts/journal/journal-check.ts";
import { reindex, type Reindexed } from "../../../scripts/journal/reindex.ts";
import type { IndexedKey } from "../../../server/journal/index/key-codec.ts";
import { SLICE_SIZE, SLICES } from "../../../server/journal/index/key-merge.ts";
import { keyOf, storedKeys } from "../../../server/journal/index/proof-key.ts";
import { besideWrites } from "../../support/beside-writes.ts";
import { ENGINES, emptyDatabase } from "../../support/database.ts";
import { attackerOf } from "../../support/attacker.ts";
import { removeDirectory, temporaryDirectory } from "../../support/directory.ts";
import { freshDocuments } from "../../support/exactly-once.ts";
import type { JournalWriter } from "../../support/journal-writer.ts";
import { type JournalCopy, prepareJournal, type PreparedJournal } from "../../support/prepared-journal.ts";
import { runJournalScript, startJournalScript } from "../../support/journal-script.ts";
import { anchored } from "../../support/anchored.ts";
import { startServer } from "../../support/server.ts";

const PROOFS = 1_500;
const sliceOf = (key: number): number => Math.floor(key / SLICE_SIZE);

for (const engine of ENGINES)
  describe(`the index of the journal, on ${engine}`, function () {
    let prepared: PreparedJournal;
    let opened: JournalCopy;
    let writer: JournalWriter;
    let original: string[];
    before(async () => {
      prepared = await prepareJournal(engine, async (first) => {
        await first.everything();
        for (let size = 0; size < PROOFS; size += 100) await first.confirmed(100);
      });
    });
    beforeEach(async () => {
      opened = await prepared.copy();
      writer = opened.writer;
      original = await keys();
    });
    afterEach(() => opened.close());
    after(() => prepared.close());

    const keys = async (): Promise<string[]> => {
      const found: IndexedKey[] = [];
      for await (const some of storedKeys(opened.database, 3 * PROOFS)) found.push(...some);
      return found.map(({ key, sequence }) => `${key} ${sequence}`).sort();
    };
    const findings = async (): Promise<string[]> => {
      const texts: string[] = [];
      await JournalCheck.run({
        database: opened.database,
        onFinding: (finding) => void texts.push(findingText(finding)),
      });
      return texts;
    };
    const written: number[] = [];
    const rebuild = (mostKeys?: number, stopAt = Infinity): Promise<Reindexed> => {
      const stop = new AbortController();
      written.length = 0;
      const onSlices = (count: number): void => {
        written.push(count);
        if (count === stopAt) stop.abort();
      };
      return reindex(opened.database, {
        onSlices,
        signal: stop.signal,
        ...(mostKeys === undefined ? {} : { mostKeys }),
      });
    };
    /** Damages the index in every way: keys less, other keys, keys outside of all slices. Returns the slices. */
    const damage = async (): Promise<number[]> => {
      const { database } = opened;
      const { bucket, epoch, entries } = await database
        .selectFrom("proof_keys")
        .selectAll()
        .orderBy("bucket")
        .executeTakeFirstOrThrow();
      const shorter = { entries: entries.slice(5) };
      await database
        .updateTable("proof_keys")
        .set(shorter)
        .where("bucket", "=", bucket)
        .where("epoch", "=", epoch)
        .execute();
      const recent = await database
        .selectFrom("proof_keys_recent")
        .selectAll()
        .orderBy("key", "desc")
        .limit(2)
        .execute();
      const [one, other] = [recent[0] ?? assert.fail(), recent[1] ?? assert.fail()];
      await database.deleteFrom("proof_keys_recent").where("key", "=", one.key).execute();
      await database
        .updateTable("proof_keys_recent")
        .set({ sequence: 3 })
        .where("key", "=", other.key)
        .where("sequence", "=", other.sequence)
        .execute();
      await database.insertInto("proof_keys_recent").values({ key: -5, sequence: 2 }).execute();
      return [bucket * 2 ** 16, one.key, other.key].map(sliceOf);
    };

    it("is checked, and written again as it was", async () => {
      assert.isEmpty(await findings());
      await damage();
      const found = await findings();
      assert.lengthOf(found, 3);
      for (const text of found) assert.match(text, /^entry \d+: it cannot be found by its /);
      assert.deepEqual(await rebuild(), { isComplete: true, keys: original.length });
      assert.deepEqual(await findings(), []);
      assert.deepEqual(await keys(), original);
      assert.equal(written.at(-1), SLICES);
    });

    it("is written again in groups of slices when the keys are too many for the memory", async () => {
      await damage();
      assert.isTrue((await rebuild(500)).isComplete);
      assert.deepEqual(await findings(), []);
      assert.deepEqual(await keys(), original);
      // Equal documents are in one slice, which has more keys than fit.
      const { anchorId } = await writer.open(0);
      const hash = Buffer.alloc(32, 7);
      const equal = Array.from({ length: 700 }, (_, leaf) => writer.proof(anchorId, leaf, { hash }));
      await writer.journal.proofs.insert(equal);
      original = await keys();
      assert.isTrue((await rebuild(100)).isComplete);
      assert.deepEqual(await findings(), []);
      assert.deepEqual(await keys(), original);
      const found = await Array.fromAsync(writer.journal.proofs.byHash(hash));
      assert.lengthOf(found, 700);
    });

    it("can be interrupted: the written slices are right, the others as they were", async () => {
      const slices = await damage();
      const middle = Math.max(...slices);
      const damaged = await keys();
      const { isComplete } = await rebuild(undefined, middle);
      assert.isFalse(isComplete);
      assert.equal(written.at(-1), middle);
      const isWritten = (key: string): boolean => sliceOf(Number(key.split(" ")[0])) < middle;
      const isLeft = (key: string): boolean => !isWritten(key) || Number(key.split(" ")[0]) < 0;
      assert.sameMembers(await keys(), [...original.filter(isWritten), ...damaged.filter(isLeft)]);
      assert.isTrue((await rebuild()).isComplete);
      assert.deepEqual(await findings(), []);
      assert.deepEqual(await keys(), original);
    });

    it("is written again while a server adds proofs", async () => {
      await damage();
      const added: Uint8Array[] = [];
      const write = async (): Promise<void> => {
        const { proofs } = await writer.confirmed(50);
        added.push(...proofs.map(({ hash }) => hash));
      };
      assert.isTrue((await besideWrites(write, () => rebuild(1_000))).isComplete);
      assert.isNotEmpty(added);
      assert.deepEqual(await findings(), []);
      const found = new Set((await keys()).map((text) => Number(text.split(" ")[0])));
      assert.isTrue(added.every((hash) => found.has(keyOf(hash))));
    });
  });

for (const engine of ENGINES)
  describe(`the commands for the index of the journal, on ${engine}`, function () {
    it("name a removed key and write the index again, beside a server", async () => {
      const directory = await temporaryDirectory();
      const database = await emptyDatabase(engine);
      const server = await startServer({ DATABASE_URL: database.url }, { directory });
      const attacker = await attackerOf(database, engine);
      const variables = { DATABASE_URL: database.url, DATA_DIR: directory };
      try {
        const documents = freshDocuments(3);
        await anchored(server, "/api/v1/proof/batch", { documents });
        const { hash = "" } = documents[1] ?? {};
        const verify = () => server.get(`/api/v1/verify?hash=${hash}`);
        assert.isTrue((await verify()).body.valid);
        const key = keyOf(Buffer.from(hash, "hex"));
        for (const before of await attacker.rowsOf("proof_keys_recent"))
          if (before["key"] === key) await attacker.apply({ table: "proof_keys_recent", before, after: undefined });
        assert.isFalse((await verify()).body.valid);

        const damaged = await runJournalScript(variables, "check", "--offline");
        assert.equal(damaged.code, 1, damaged.err);
        assert.match(damaged.out, /entry \d+: it cannot be found by its hash\n/);
        const lines = (await runJournalScript(variables, "check", "--offline", "--json")).out.split("\n");
        assert.isTrue(lines.some((line) => line.includes('"kind":"key_missing"')));

        const rebuilt = await runJournalScript(variables, "reindex");
        assert.deepEqual([rebuilt.code, rebuilt.out], [0, "256 of 256 slices, 9 keys written\n"], rebuilt.err);
        assert.match(rebuilt.err, /^(indexing: \d+ of 256 slices, \d+ a second\n)*$/);
        assert.isTrue((await verify()).body.valid);
        const { code, out } = await runJournalScript(variables, "check", "--offline");
        assert.deepEqual([code, /: all right\n$/.test(out)], [0, true], out);

        const killed = startJournalScript(variables, "reindex");
        killed.kill();
        await killed.outcome;
        assert.isTrue((await verify()).body.valid);
      } finally {
        await attacker.close();
        await server.stop();
        await database.remove();
      }
    });

    it("fail without a database", async () => {
      const directory = await temporaryDirectory();
      const { code, err } = await runJournalScript({ DATA_DIR: directory }, "reindex");
      assert.equal(code, 1);
      assert.match(err, /there is no database at /);
      await removeDirectory(directory);
    });
  });
