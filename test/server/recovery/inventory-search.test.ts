import { assert } from "chai";
import { fillJournal, proofNumber } from "../../../bench/load/filled-journal.ts";
import { KEY } from "../../../bench/load/journal-key.ts";
import { EntryVerifier } from "../../../server/journal/entries/verified-entries.ts";
import type { ProofCheck } from "../../../server/proofs/index.ts";
import type { InventorySearch } from "../../../server/recovery/candidates.ts";
import { Inventory } from "../../../server/recovery/inventory.ts";
import { isConfirmedBy } from "../../../server/recovery/verification.ts";
import { countingRows, type RowCount } from "../../support/row-count.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";

const BATCHES = 60;
const PROOFS = BATCHES * 1_000;
const LIMIT = 100;
const NUMBERS = Array.from({ length: PROOFS }, (_, number) => number);

/** A chain that confirms what the journal says. */
const check: Pick<ProofCheck, "of"> = {
  of: async (proof) => (isConfirmedBy(proof, undefined) ? { state: "confirmed", proof } : assert.fail("not confirmed")),
};

for (const engine of ENGINES)
  describe(`a search in ${PROOFS} documents, on ${engine}`, () => {
    let opened: TestDatabase;
    let count: RowCount;
    before(async () => {
      opened = await openTestDatabase(engine);
      count = countingRows(opened.database);
      await fillJournal(opened.database, BATCHES, () => undefined);
    });
    after(() => opened.close());

    const search = async (wanted: InventorySearch) => {
      const found: string[] = [];
      const database = count.database;
      const newestEntry = await new EntryVerifier({ database, key: KEY }).begin().newest();
      let [mostRows, allRows, pages] = [0, 0, 0];
      for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
        const checked = new EntryVerifier({ database, key: KEY }).begin();
        const inventory = new Inventory({ checked, check, asOf: undefined, newestEntry, newestBlock: Infinity });
        const { result, rows } = await count.during(() => inventory.page(before, LIMIT, wanted));
        found.push(...result.documents.map(({ proof }) => proof.documentId));
        assert.isAtMost(result.documents.length, LIMIT);
        before = result.next;
        mostRows = Math.max(mostRows, rows);
        allRows += rows;
        pages += 1;
      }
      return { found, mostRows, allRows, pages };
    };
    const expected = (isWanted: (number: number) => boolean): string[] =>
      NUMBERS.filter(isWanted)
        .map((number) => `document-${number}`)
        .reverse();
    const second = (number: number): number => Math.floor(proofNumber(number).acceptedAt / 1000);

    it("finds text in the id, in letters of any case, newest first", async () => {
      const { found, mostRows } = await search({ text: "DOCUMENT-77" });
      assert.deepEqual(
        found,
        expected((number) => String(number).startsWith("77")),
      );
      // A row of the journal has up to 100 entries; an anchor is read for a batch.
      assert.isBelow(mostRows, 1_000);
    });

    it("finds a hash", async () => {
      const { found, pages } = await search({ hash: proofNumber(4_711).hash });
      assert.deepEqual([found, pages <= 2], [["document-4711"], true]);
      assert.isEmpty((await search({ hash: Buffer.alloc(32) })).found);
      assert.isEmpty((await search({ hash: proofNumber(4_711).hash, text: "document-4712" })).found);
    });

    it("finds what was accepted between two times, and begins and ends there", async () => {
      const [from, to] = [second(9_000), second(9_250)];
      const { found } = await search({ from, to });
      assert.deepEqual(
        found,
        expected((number) => second(number) >= from && second(number) <= to),
      );
      const text = "document-91";
      const both = await search({ from, to, text });
      // A minute before and after it is read as well, of ten.
      assert.isBelow(both.allRows, 700);
      assert.deepEqual(
        both.found,
        found.filter((name) => name.startsWith(text)),
      );
      assert.isEmpty((await search({ to: second(0) - 1 })).found);
      assert.isEmpty((await search({ from: second(PROOFS) + 1 })).found);
    });

    it("finds nothing in bounded steps", async () => {
      const { found, mostRows, pages } = await search({ text: "none" });
      assert.isEmpty(found);
      // A row has up to 100 entries, and a step begins or ends within one.
      assert.isBelow(mostRows, 700);
      assert.isAtLeast(pages, 3);
    });
  });
