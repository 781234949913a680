import { assert } from "chai";
import { sql } from "kysely";
import { EntryVerifier } from "../../../server/journal/entries/verified-entries.ts";
import { insertKeys } from "../../../server/journal/index/proof-index.ts";
import type { StoredProof } from "../../../server/proofs/proof.ts";
import type { DocumentPage } from "../../../server/recovery/inventory.ts";
import type { ProofSubject } from "../../../server/proofs/proof-rows.ts";
import { journalOver } from "../../../bench/load/filled-journal.ts";
import { KEY } from "../../support/journal-key.ts";
import { contentHash, RecoveryHistory } from "../../support/recovery-history.ts";
import { countingRows, type RowCount } from "../../support/row-count.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";

async function all(pages: AsyncIterable<readonly StoredProof[]>): Promise<StoredProof[]> {
  return (await Array.fromAsync(pages)).flat();
}

const PROOFS = 3_000;
const BATCH = 500;
const PAGE = 20;
const HOT = "many";

for (const engine of ENGINES)
  describe(`reads of a document with ${PROOFS} proofs, on ${engine}`, () => {
    let opened: TestDatabase;
    let count: RowCount;
    let history: RecoveryHistory;
    before(async () => {
      opened = await openTestDatabase(engine);
      count = countingRows(opened.database);
      history = new RecoveryHistory(count.database);
      await history.record([["first", "1"]]);
      for (let done = 0; done < PROOFS; done += BATCH)
        await history.record(Array.from({ length: BATCH }, (_, index) => [HOT, `${done + index}`]));
      await history.record([["last", "1"]]);
    });
    after(() => opened.close());

    const verifier = (): EntryVerifier =>
      new EntryVerifier({
        database: count.database,
        key: KEY,
        onDamage: (subject, message) => assert.fail(`${subject}: ${message}`),
      });
    const hot = { documentId: HOT };

    const whereKeysAre = (place: string): void => {
      it(`take the rows of a page, with ${place} keys`, async () => {
        const { proofs } = journalOver(count.database);
        const read = async (limit: number, before?: number) => {
          const page = { limit, ...(before === undefined ? {} : { before }), checked: verifier().begin() };
          const { rows, result } = await count.during(() => proofs.byDocument(HOT, page));
          assert.isTrue(result.every(({ documentId }) => documentId === HOT));
          return { result, rows };
        };
        const { result, rows } = await read(PAGE);
        assert.deepEqual(
          result.map(({ hash }) => Buffer.from(hash)),
          Array.from({ length: PAGE }, (_, index) => Buffer.from(contentHash(`${PROOFS - 1 - index}`))),
        );
        assert.isBelow(rows, 4 * PAGE);
        const deep = await read(PAGE, PROOFS / 2);
        assert.lengthOf(deep.result, PAGE);
        assert.isBelow(deep.rows, 4 * PAGE);
      });

      it(`take the rows of its pages for all of them, with ${place} keys`, async () => {
        const { proofs } = journalOver(count.database);
        const { result, proofRows } = await count.during(() => all(proofs.ofSubject(hot, verifier().begin())));
        assert.lengthOf(result, PROOFS);
        assert.deepEqual(Buffer.from(result[0]?.hash ?? []), Buffer.from(contentHash(`${PROOFS - 1}`)));
        assert.isAtMost(proofRows, 3 * PROOFS);
      });

      // Security, network: cannot make others' inventory expensive by proving a document often: the newest are read
      it(`read few of its proofs for the inventory, which lists it once, with ${place} keys`, async () => {
        const names: string[] = [];
        const { proofRows } = await count.during(async () => {
          const state = await history.service.state();
          for (let before: number | undefined = state.newestEntry + 1; before !== undefined;) {
            const page: DocumentPage = await history.service.inventory({ asOf: undefined }, state, before, 10);
            names.push(...page.documents.map(({ proof }) => proof.documentId));
            before = page.next;
          }
        });
        assert.deepEqual(names, ["last", HOT, "first"]);
        // Each entry is read as an entry, as a proof, and in its block of checked entries.
        assert.isBelow(proofRows, 4 * PROOFS);
      });
    };

    whereKeysAre("recent");

    if (engine === "sqlite")
      describe("after its keys were moved", () => {
        before(async () => {
          await opened.database.transaction().execute((transaction) => insertKeys(transaction, [], 0, 65_536));
          const recent = await sql`select * from proof_index_recent`.execute(opened.database);
          assert.isEmpty(recent.rows);
        });
        whereKeysAre("moved");
      });

    describe("beside others", () => {
      it("have each proof once, and none of another document", async () => {
        const { database } = count;
        await history.record([[HOT, "pending"]], "pending");
        await history.record([
          ["other", "only"],
          ["another", "only"],
          ["other", "only"],
        ]);
        const { proofs } = journalOver(database);
        const states = async (subject: ProofSubject): Promise<string[]> =>
          (await all(proofs.ofSubject(subject, verifier().begin()))).map(({ outcome }) => outcome.state);
        const ofDocument = await states(hot);
        assert.deepEqual([ofDocument.length, ofDocument[0]], [PROOFS + 1, "pending"]);
        assert.isTrue(ofDocument.slice(1).every((state) => state === "confirmed"));
        assert.lengthOf(await states({ hash: contentHash("only") }), 3);
        assert.deepEqual(await states({ hash: contentHash("pending") }), ["pending"]);
        assert.isEmpty(await states({ documentId: "none" }));
      });
    });
  });
