import { assert } from "chai";
import fc from "fast-check";
import type { InventorySearch } from "../../../server/recovery/candidates.ts";
import type { DocumentPage } from "../../../server/recovery/inventory.ts";
import type { Comparison } from "../../../server/recovery/verification.ts";
import { newestSequence } from "../../../server/journal/entries/journal-rows.ts";
import type { VerificationLimits } from "../../../server/recovery/verification-retention.ts";
import { ENGINES, openTestDatabase } from "../../support/database.ts";
import { contentHash, type Fate, type Recorded, RecoveryHistory } from "../../support/recovery-history.ts";
import { thrownBy } from "../../support/thrown.ts";

const DOCUMENTS = ["a", "b", "c", "d", "e/é", "f\" \\ '"];
const CONTENTS = ["1", "2", "3", "4"];
const FIRST_TIME = 101;
const HOUR = 3_600_000;

/** A comparison in short. */
type ResultRow = readonly [result: string, ...more: readonly (string | number | undefined)[]];

const isBy =
  (asOf: number | undefined) =>
  ({ time }: Recorded): boolean =>
    time !== undefined && time <= (asOf ?? Infinity);

/** What the model says of a restored document. */
function expected(
  recorded: readonly Recorded[],
  documentId: string,
  content: string,
  asOf: number | undefined,
): ResultRow {
  const hash = contentHash(content);
  const own = recorded.filter((one) => one.documentId === documentId);
  if (asOf === undefined && own.length > 0 && own.at(-1)?.time === undefined) return ["pending"];
  const [newest, ...older] = own.filter(isBy(asOf)).reverse();
  if (newest === undefined) {
    const others = new Set(
      recorded.filter((one) => isBy(asOf)(one) && Buffer.compare(one.hash, hash) === 0).map((one) => one.documentId),
    );
    return ["unrecorded", own.length > 0 ? "reason" : "none", ...[...others].sort()];
  }
  if (Buffer.compare(newest.hash, hash) === 0) return ["match", newest.time];
  return ["mismatch", newest.time, older.find((one) => Buffer.compare(one.hash, hash) === 0)?.time];
}

function rowOf(comparison: Comparison): ResultRow {
  switch (comparison.result) {
    case "match":
      return ["match", comparison.proof.outcome.block.time];
    case "mismatch":
      return ["mismatch", comparison.proof.outcome.block.time, comparison.earlier?.outcome.block.time];
    case "pending":
      return ["pending"];
    case "unrecorded":
      return ["unrecorded", comparison.reason === undefined ? "none" : "reason", ...[...comparison.recordedAs].sort()];
  }
}

/** What the model says was on chain: the newest of each document, the last recorded one first. */
function inventoryOf(recorded: readonly Recorded[], asOf: number | undefined): Recorded[] {
  const counting = recorded.filter(isBy(asOf));
  return counting
    .filter((one) => counting.findLast(({ documentId }) => documentId === one.documentId) === one)
    .reverse();
}

for (const engine of ENGINES) {
  describe(`recovery, on ${engine}`, () => {
    const document = fc.constantFrom(...DOCUMENTS);
    const content = fc.constantFrom(...CONTENTS);
    const fate: fc.Arbitrary<Fate> = fc.constantFrom("confirmed", "confirmed", "confirmed", "failed", "pending");
    const batches = fc.array(fc.tuple(fc.array(fc.tuple(document, content), { minLength: 1, maxLength: 5 }), fate), {
      maxLength: 8,
    });
    const restored = fc.array(fc.tuple(document, content), { minLength: 1, maxLength: 12 });
    const asOf = fc.option(fc.integer({ min: FIRST_TIME - 1, max: FIRST_TIME + 8 }), { nil: undefined });

    const withHistory = async (
      work: (history: RecoveryHistory) => Promise<void>,
      limits?: VerificationLimits,
    ): Promise<void> => {
      const { database, close } = await openTestDatabase(engine);
      try {
        await work(new RecoveryHistory(database, limits));
      } finally {
        await close();
      }
    };
    /** Returns the comparisons with stored documents. */
    const rowsOf = ({ database }: RecoveryHistory): Promise<string[]> =>
      database
        .selectFrom("recovery_documents")
        .select("verification_id")
        .distinct()
        .execute()
        .then((rows) => rows.map(({ verification_id }) => verification_id));
    const compare = async (
      history: RecoveryHistory,
      rows: readonly (readonly [string, string])[],
      by?: number,
      caller = "a caller",
    ) => {
      const running = await history.service.begin(by, caller);
      const compared = await running.compare(
        rows.map(([documentId, text]) => ({ documentId, hash: contentHash(text) })),
      );
      const verification = await running.finish();
      if (verification.id === undefined) assert.fail("the comparison is not kept");
      return { compared, verification };
    };
    const allOf = async (page: (before: number | undefined) => Promise<DocumentPage>) => {
      const found: Recorded[] = [];
      for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
        const { documents, next }: DocumentPage = await page(before);
        for (const { proof, fault } of documents) {
          assert.isUndefined(fault);
          found.push({ documentId: proof.documentId, hash: Buffer.from(proof.hash), time: proof.outcome.block.time });
        }
        before = next;
      }
      return found;
    };

    it("returns the results of a model for any documents, and lists missing ones", () =>
      fc.assert(
        fc.asyncProperty(batches, restored, asOf, fc.integer({ min: 1, max: 4 }), (history, rows, by, limit) =>
          withHistory(async (actual) => {
            for (const [documents, outcome] of history) await actual.record(documents, outcome);
            const { compared, verification } = await compare(actual, rows, by);
            const model = rows.map(([documentId, text]) => expected(actual.recorded, documentId, text, by));
            assert.deepEqual(
              compared.map(({ comparison }) => rowOf(comparison)),
              model,
            );
            const count = (result: string): number => model.filter(([one]) => one === result).length;
            assert.deepEqual(verification.totals, {
              documents: rows.length,
              match: count("match"),
              mismatch: count("mismatch"),
              unrecorded: count("unrecorded"),
              pending: count("pending"),
            });
            assert.deepEqual(await actual.service.verification(verification.id), verification);
            const inventory = inventoryOf(actual.recorded, by).map((one) => ({ ...one, hash: Buffer.from(one.hash) }));
            const state = await actual.service.state();
            const listed = (search: InventorySearch) =>
              allOf((before) => actual.service.inventory({ ...search, asOf: by }, state, before, limit));
            assert.deepEqual(await listed({}), inventory);
            for (const documentId of DOCUMENTS)
              assert.deepEqual(
                await listed({ text: documentId }),
                inventory.filter((one) => one.documentId === documentId),
              );
            for (const hash of CONTENTS.map(contentHash))
              assert.deepEqual(
                await listed({ hash }),
                inventory.filter((one) => Buffer.compare(one.hash, hash) === 0),
              );
            const seen = new Set(rows.map(([documentId]) => documentId));
            // What is recorded after it was compared is not missing from it.
            await actual.record([["late", "1"]]);
            assert.deepEqual(
              await allOf((before) => actual.service.gap(verification, state, before, limit)),
              inventory.filter(({ documentId }) => !seen.has(documentId)),
            );
            assert.isEmpty(actual.diverged);
          }),
        ),
        { numRuns: engine === "sqlite" ? 40 : 12 },
      ));

    it("lists a document once that is recorded again, or confirmed, while its pages are read", () =>
      withHistory(async (history) => {
        await history.record([["older", "1"]]);
        await history.record([["twice", "1"]]);
        const pending = await history.record([["twice", "2"]], "pending");
        await history.record([["newest", "1"]]);
        history.newestBlock = Math.max(...[...history.onChain.values()].map(({ outcome }) => outcome.block.number));
        const state = await history.service.state();
        const first = await history.service.inventory({ asOf: undefined }, state, undefined, 1);
        await history.confirm(pending);
        await history.record([["older", "2"]]);
        const rest = await history.service.inventory({ asOf: undefined }, state, first.next, 10);
        assert.deepEqual(
          [...first.documents, ...rest.documents].map(({ proof }) => [proof.documentId, Buffer.from(proof.hash)]),
          [
            ["newest", contentHash("1")],
            ["twice", contentHash("1")],
            ["older", contentHash("1")],
          ],
        );
        assert.isUndefined(rest.next);
      }));

    it("rejects changed rows, and names them", () =>
      withHistory(async (history) => {
        await history.record([
          ["x", "1"],
          ["y", "2"],
        ]);
        await history.record([["z", "3"]]);
        history.onChain.clear();
        const { compared, verification } = await compare(history, [
          ["x", "1"],
          ["y", "other"],
          ["z", "3"],
        ]);
        for (const { comparison } of compared) {
          assert.equal(comparison.result, "unrecorded");
          if (comparison.result === "unrecorded") assert.match(comparison.reason ?? "", /chain does not confirm/);
        }
        assert.lengthOf(new Set(history.diverged), 2);
        assert.isUndefined(verification.signed, "nothing is signed about a contradiction");
        const state = await history.service.state();
        const { documents } = await history.service.inventory({ asOf: undefined }, state, undefined, 10);
        assert.isTrue(documents.every(({ fault }) => fault !== undefined));
      }));

    it("rejects proofs that were added to an anchor, and no other", () =>
      withHistory(async (history) => {
        const anchorId = await history.record([
          ["x", "1"],
          ["y", "2"],
        ]);
        const forged = { documentId: "forged", hash: contentHash("f") };
        // Proofs share a leaf only with the same recorded hash.
        await history.writer.journal.proofs.insert([
          history.writer.proof(anchorId, 0, forged),
          history.writer.proof(anchorId, 1, { ...forged, documentId: "shared-leaf" }),
        ]);
        for (const name of ["forged", "shared-leaf"])
          assert.propertyVal(await thrownBy(compare(history, [[name, "f"]])), "code", "journal_damaged");
        const { compared } = await compare(history, [["x", "1"]]);
        assert.deepEqual(
          compared.map(({ comparison }) => rowOf(comparison)),
          [["match", 101]],
        );
        assert.lengthOf(history.diverged, 2);
      }));

    it("distinguishes documents whose recorded texts are equal", () =>
      withHistory(async (history) => {
        const anchorId = await history.record([
          ["x", "1"],
          ["y", "2"],
        ]);
        const [, second] = await history.writer.journal.proofs.byAnchor(anchorId, 0, 2);
        assert.isDefined(second);
        if (second === undefined) return;
        // The boundary between the document's name and the time has moved.
        const documentId = `y${String(second.metadata.timestamp).slice(0, -1)}`;
        const timestamp = Number(String(second.metadata.timestamp).slice(-1));
        const sharing = history.writer.proof(anchorId, 1, {
          documentId,
          hash: second.hash,
          metadata: { timestamp },
        });
        await history.writer.journal.proofs.insert([sharing]);
        const { compared } = await compare(history, [
          [documentId, "2"],
          ["y", "2"],
        ]);
        assert.deepEqual(
          compared.map(({ comparison }) => rowOf(comparison)),
          [
            ["match", FIRST_TIME],
            ["match", FIRST_TIME],
          ],
        );
      }));

    it("lists anchors that the journal lacks, in pages of whole blocks", () =>
      withHistory(async (history) => {
        await history.record([["x", "1"]]);
        const [known] = [...history.onChain.values()];
        assert.isDefined(known);
        if (known === undefined) return;
        const unknown = Array.from({ length: 7 }, (_, n) => contentHash(`unknown ${n}`));
        unknown.forEach((hash, n) => {
          const outcome = { ...known.outcome, block: { ...known.outcome.block, number: 200 + Math.floor(n / 3) } };
          history.onChain.set(Buffer.from(hash).toString("hex"), { hash, size: 0, outcome });
        });
        const pages: number[] = [];
        const found: Uint8Array[] = [];
        for (let after: number | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
          const page: Awaited<ReturnType<typeof history.service.unknownAnchors>> = await history.service.unknownAnchors(
            after,
            2,
          );
          pages.push(page.anchors.length);
          found.push(...page.anchors.map(({ hash }) => hash));
          after = page.next;
        }
        assert.deepEqual(pages, [3, 3, 1]);
        assert.deepEqual(found, unknown);
      }));

    it("deletes aborted verifications, immediately or a day later", () =>
      withHistory(async (history) => {
        await history.record([["x", "1"]]);
        const running = await history.service.begin(undefined, "a caller");
        await running.compare([{ documentId: "x", hash: contentHash("1") }]);
        await running.abandon();
        await history.service.begin(undefined, "a caller");
        history.now += 25 * HOUR;
        await history.kept.expire();
        assert.isEmpty(await rowsOf(history));
        const { verification } = await compare(history, [["x", "1"]]);
        assert.equal((await history.service.verification(undefined, "a caller")).id, verification.id);
      }));

    it("keeps nothing of a comparison without a caller", () =>
      withHistory(async (history) => {
        await history.record([["x", "1"]]);
        const entries = await newestSequence(history.database);
        const running = await history.service.begin(undefined, undefined);
        const [row] = await running.compare([{ documentId: "x", hash: contentHash("1") }]);
        assert.equal(row?.comparison.result, "match");
        const { id, totals } = await running.finish();
        assert.isUndefined(id);
        assert.deepEqual(totals, { documents: 1, match: 1, mismatch: 0, unrecorded: 0, pending: 0 });
        assert.isEmpty(await rowsOf(history));
        assert.equal(await newestSequence(history.database), entries);
      }));

    it("takes the newest verification of the same caller by default", () =>
      withHistory(async (history) => {
        const { verification } = await compare(history, [["x", "1"]]);
        await compare(history, [["y", "1"]], undefined, "another caller");
        assert.equal((await history.service.verification(undefined, "a caller")).id, verification.id);
        const none = await history.service.verification(undefined, "a third").catch((error: unknown) => error);
        assert.match(String(none), /this caller has no verification/);
      }));

    it("deletes the documents of old verifications, and keeps their results", () =>
      withHistory(async (history) => {
        await history.record([["x", "1"]]);
        const { verification } = await compare(history, [["x", "1"]]);
        history.now += HOUR + 1;
        const newer = await compare(history, [["x", "1"]]);
        await history.kept.expire();
        assert.deepEqual(await rowsOf(history), [newer.verification.id]);
        assert.deepEqual(await history.service.verification(verification.id), verification);
        const state = await history.service.state();
        const gap = await history.service.gap(verification, state, undefined, 10).catch((error: unknown) => error);
        assert.match(String(gap), /the documents of this verification are not in this database/);
        assert.isEmpty((await history.service.gap(newer.verification, state, undefined, 10)).documents);
      }));

    it("bounds the documents of a caller and of all: the oldest make quota, or those of the largest caller", () =>
      withHistory(
        async (history) => {
          const many = (name: string, count: number) =>
            Array.from({ length: count }, (_, n) => [`${name} ${n}`, "1"] as const);
          const kept = async (caller: string, count: number): Promise<string> =>
            (await compare(history, many(caller, count), undefined, caller)).verification.id;
          const [first, second] = [await kept("a", 500), await kept("a", 500)];
          assert.sameMembers(await rowsOf(history), [first, second]);
          const third = await kept("a", 500);
          assert.sameMembers(await rowsOf(history), [second, third], "the oldest of the caller made quota");
          const other = await kept("b", 500);
          assert.sameMembers(await rowsOf(history), [third, other], "the oldest of the largest caller made quota");
          const running = await history.service.begin(undefined, "c");
          const large = many("c", 2_500).map(([documentId, text]) => ({ documentId, hash: contentHash(text) }));
          assert.lengthOf(await running.compare(large), 2_500);
          const { id, totals } = await running.finish();
          assert.isUndefined(id, "a larger one is not kept");
          assert.equal(totals.documents, 2_500);
          assert.sameMembers(await rowsOf(history), [third, other]);
        },
        { retentionMilliseconds: HOUR, perCaller: 3_200, total: 4_400 },
      ));
  });
}
