import { assert } from "chai";
import { sql } from "kysely";
import type { BlockReference } from "../../../server/chain/block.ts";
import { type Finding, findingText } from "../../../server/journal/check/finding.ts";
import type { ChainQueries } from "../../../server/journal/check/chain-comparison.ts";
import { checkJournal, type CheckResult } from "../../../scripts/journal/journal-check.ts";
import type { JournalEntry } from "../../../server/journal/entries/codec.ts";
import { besideWrites } from "../../support/beside-writes.ts";
import { rewriteRows } from "../../support/intruder.ts";
import { changedBody, type EntryChange } from "../../support/journal-rows.ts";
import type { JournalWriter } from "../../support/journal-writer.ts";
import { type JournalCopy, prepareJournal, type PreparedJournal } from "../../support/prepared-journal.ts";
import { KEY } from "../../support/journal-key.ts";

/** A statement, or a change of entries without the journal's key. */
type Change = string | EntryChange;

/** Gives an entry other facts. */
const entry =
  (sequence: number, facts: Partial<JournalEntry>): EntryChange =>
  (each) =>
    each.sequence === sequence ? ({ ...each, ...facts } as JournalEntry) : each;

/** Inserts the row of entries 2 to 6 under other numbers. */
const copyOfRow2 = (first: number, last: number): string =>
  `insert into entries select ${first}, ${last}, proofs, previous, digest, code, body from entries
   where first_sequence = 2`;

/** The condition for the highest key of an entry. */
const lastKeyOf = (sequence: number): string =>
  `sequence = ${sequence} and key = (select max(key) from proof_index_recent where sequence = ${sequence})`;

describe("the journal check", function () {
  let opened: JournalCopy;
  let writer: JournalWriter;
  /** Gives each test of a suite its own copy of a journal. */
  const journalWith = (write: (first: JournalWriter) => Promise<unknown>): void => {
    let prepared: PreparedJournal;
    before(async () => (prepared = await prepareJournal("sqlite", write)));
    beforeEach(async () => {
      opened = await prepared.copy();
      writer = opened.writer;
    });
    afterEach(() => opened.close());
    after(() => prepared.close());
  };

  const check = async (
    chain?: ChainQueries,
  ): Promise<{ findings: Finding[]; texts: string[]; result: CheckResult }> => {
    const findings: Finding[] = [];
    const { database } = opened;
    const parts = {
      database,
      key: KEY,
      ...(chain === undefined ? {} : { chain }),
      onFinding: (finding: Finding) => void findings.push(finding),
    };
    const result = await checkJournal(parts);
    assert.equal(result.findings, findings.length);
    return { findings, texts: findings.map(findingText), result };
  };
  /** Like a process with access to the file: without triggers and checks. */
  const tamper = async (...changes: Change[]): Promise<void> => {
    const { database } = opened;
    await sql`pragma foreign_keys = off`.execute(database);
    await sql`pragma ignore_check_constraints = on`.execute(database);
    await database.transaction().execute(async (transaction) => {
      for (const change of changes) {
        if (typeof change === "string") {
          await sql.raw(change).execute(transaction);
          continue;
        }
        for (const { body: before } of await transaction.selectFrom("entries").select("body").execute()) {
          const body = changedBody(before, change);
          if (body !== undefined)
            await transaction.updateTable("entries").set({ body }).where("body", "=", before).execute();
        }
      }
    });
  };

  describe("of any journal", function () {
    journalWith(async () => undefined);

    it("finds nothing in an honest journal with any content", async () => {
      await writer.everything();
      const { texts, result } = await check();
      assert.deepEqual(texts, []);
      const { isComplete, to, proofs, confirmations, accounts, checkpoints, pending } = result;
      assert.deepEqual(
        { isComplete, to, proofs, confirmations, accounts, checkpoints, pending },
        { isComplete: true, to: 28, proofs: 20, confirmations: 6, accounts: 2, checkpoints: 1, pending: 6 },
      );
    });

    it("finds nothing in an empty journal", async () => {
      const { texts, result } = await check();
      assert.deepEqual(texts, []);
      assert.equal(result.to, 0);
    });

    it("names each of several changed rows", async () => {
      for (let n = 0; n < 6; n += 1) await writer.confirmed(10);
      await tamper(...[5, 27, 50].map((sequence) => entry(sequence, { accepted_at: 3 })), entry(44, { block_time: 3 }));
      const { findings } = await check();
      assert.deepEqual(
        findings.map(({ kind, sequence }) => [kind, sequence]),
        [
          ["row_changed", 1],
          ["row_changed", 23],
          ["row_changed", 44],
          ["row_changed", 45],
          ["entry_differs", 44],
        ],
      );
    });

    // Security, database: can remove entries that no relayer has seen in a pass and that are in no replica
    it("reports the value of a checkpoint when the digest lags far behind it", async () => {
      await writer.confirmed(3);
      for (let n = 0; n < 40; n += 1) await writer.confirmed(1000);
      await writer.checkpoint(2);
      assert.deepEqual((await check()).texts, []);
    });

    it("finds nothing during concurrent writes", async () => {
      let batches = 0;
      const write = async (): Promise<void> => {
        const { anchorId, proofs } = await writer.open(1 + (batches % 50));
        await writer.recordOutcome(await writer.close(anchorId, proofs), batches % 7 === 6 ? "reverted" : "confirmed");
        if (batches % 20 === 0) await writer.account();
        batches += 1;
      };
      for (let n = 0, checked = 0; n < 12 || checked <= 500; n += 1) {
        const { texts, result } = await besideWrites(write, check);
        assert.deepEqual(texts, []);
        checked = result.to;
      }
      assert.deepEqual((await check()).texts, []);
    });
  });

  describe("names changed data", function () {
    journalWith((first) => first.everything());

    const X = "x'" + "ab".repeat(32) + "'";
    const ROW = /^the entries 2 to 6 of the journal were not written by a relayer, or were changed$/;
    /** What is done, and what has to be among the findings. */
    const CASES: readonly (readonly [what: string, changes: readonly Change[], ...expected: RegExp[]])[] = [
      [
        "document of a proof",
        [entry(4, { document_id: "other" })],
        ROW,
        /^anchor 1: the recorded hashes of its proofs, among entries 2 to 6, do not give the anchored hash$/,
        /^entry 4: it cannot be found by its document/,
      ],
      [
        "hash of a proof",
        [entry(4, { hash: Buffer.alloc(32, 7) })],
        ROW,
        /^anchor 1: the recorded hashes/,
        /^entry 4: it cannot be found by its hash/,
      ],
      [
        "timestamp of a proof",
        [entry(4, { timestamp: 9 })],
        ROW,
        /^anchor 1: the recorded hashes/,
        /^entry 4: it cannot be found by its recorded hash/,
      ],
      ["type of a proof", [entry(4, { type: "else" })], ROW, /^anchor 1: the recorded hashes/],
      ["metadata of a proof", [entry(4, { metadata: null })], ROW],
      ["when a proof was accepted", [entry(4, { accepted_at: 1 })], ROW],
      [
        "anchor of a proof",
        [entry(4, { anchor: 2 })],
        ROW,
        /^entry 4: it has leaf 2 of anchor 2, which is not the next one/,
        /^entry 5: it has leaf 3 of anchor 1, which is not the next one/,
      ],
      ["leaf of a proof", [entry(4, { leaf: 9 })], ROW, /^entry 4: it has leaf 9 of anchor 1, which is not/],
      ["number of a proof", [entry(4, { sequence: 99 })], ROW, /^entry 5: it has leaf 3 of anchor 1, which is not/],
      ["the last proof", [entry(28, { accepted_at: 1 })], /^the entries 27 to 28 of the journal were not written/],
      ["leaves of two proofs swapped", [entry(3, { leaf: 2 }), entry(4, { leaf: 1 })], ROW, /^entry 3: it has leaf 2/],
      ["texts of a row", ["update entries set body = x'' where first_sequence = 2"], ROW],
      ["texts of a row, cut off", ["update entries set body = substr(body, 1, 40) where first_sequence = 2"], ROW],
      ["code of a row", [`update entries set code = ${X} where first_sequence = 2`], ROW],
      ["length of a row's code", ["update entries set code = x'' where first_sequence = 2"], ROW],
      [
        "digest of a row",
        [`update entries set digest = ${X} where first_sequence = 2`],
        ROW,
        /^the entries 7 to 7 of the journal were not written/,
      ],
      [
        "digest of the last row",
        [`update entries set digest = ${X} where first_sequence = 27`],
        /^the entries 27 to 28 of the journal were/,
      ],
      ["count of proofs of a row", ["update entries set proofs = 7 where first_sequence = 2"], ROW],
      [
        "count of proofs of the last row",
        ["update entries set proofs = 7 where first_sequence = 27"],
        /^the entries 27 to 28 of the journal were/,
      ],
      [
        "first entry of a row",
        ["update entries set first_sequence = 3 where first_sequence = 2"],
        /^entry 2 is missing/,
        /^the entries 3 to 6 of the journal were not written/,
      ],
      [
        "last entry of a row",
        ["update entries set last_sequence = 5 where first_sequence = 2"],
        /^the entries 2 to 5 of the journal were not written/,
        /^entry 6 is missing/,
      ],
      [
        "last entry of the last row",
        ["update entries set last_sequence = 7 where first_sequence = 27"],
        /^the entries 7 to 7 of the journal were not written/,
      ],
      ["a row deleted", ["delete from entries where first_sequence = 2"], /^entries 2 to 6 are missing/],
      ["the first row deleted", ["delete from entries where first_sequence = 1"], /^entry 1 is missing/],
      [
        "the last row deleted",
        ["delete from entries where first_sequence = 27"],
        /^entry 27: it is in the tables, but not in the journal$/,
      ],
      ["a row inserted twice", [copyOfRow2(3, 6)], /^the entries 3 to 6 of the journal were not written/],
      ["a row inserted at the end", [copyOfRow2(29, 33)], /^the entries 29 to 33 of the journal were not written/],
      ["a row inserted before the first", [copyOfRow2(0, 0)], /^the entries 0 to 0 of the journal were not written/],
      ["a row inserted far behind", [copyOfRow2(9e15, 9e15 + 4)], /^entries 29 to 8999999999999999 are missing/],
      [
        "two rows swapped",
        [
          "update entries set first_sequence = 100, last_sequence = 100 where first_sequence = 8",
          "update entries set first_sequence = 8, last_sequence = 8 where first_sequence = 16",
          "update entries set first_sequence = 16, last_sequence = 16 where first_sequence = 100",
        ],
        /^the entries 8 to 8 of the journal were not written/,
        /^the entries 16 to 16 of the journal were not written/,
      ],
      [
        "a batch that is not found",
        ["update anchors set first_sequence = 3 where id = 1"],
        /^anchor 1 .entry 7.: it is not as a relayer has written it$/,
      ],
      [
        "keystore of an account",
        ["update accounts set keystore = 'x' where sequence = 22"],
        /^entry 22 \(account 0x[0-9a-f]{40}\): the tables do not have what the entry says$/,
      ],
      ["address of an account", ["update accounts set address = 'x' where sequence = 22"], /^entry 22 \(account 0x/],
      ["creation of an account", ["update accounts set created_at = 9 where sequence = 22"], /^entry 22 \(account 0x/],
      [
        "number of an account",
        ["update accounts set sequence = 99 where sequence = 22"],
        /^entry 22 \(account 0x.*: the tables/,
        /^entry 99: it is in the tables, but not in the journal/,
      ],
      ["an account deleted", ["delete from accounts where sequence = 1"], /^entry 1 \(account .*: the tables/],
      [
        "an account under the number of a proof",
        ["update accounts set sequence = 4 where sequence = 22"],
        /^entry 4 \(proof.*: the tables/,
      ],
      ...[
        "anchor_id = 3",
        `hash = ${X}`,
        "size = 9",
        "checkpoint = 3",
        `transaction_hash = ${X}`,
        "block_number = 9",
        `block_hash = ${X}`,
        "block_time = 9",
        "validator = 'me'",
      ].map(
        (change) =>
          [
            `confirmation in its table: ${change}`,
            [`update confirmations set ${change} where sequence = 7`],
            /^entry 7 \(confirmation of anchor 1\): the tables do not have what the entry says$/,
          ] as const,
      ),
      ...Object.entries({ anchor: 3, hash: Buffer.alloc(32, 7), size: 9, checkpoint: 3 }).map(
        ([fact, value]) =>
          [
            `confirmation: its ${fact}`,
            [entry(7, { [fact]: value })],
            /^the entries 7 to 7 of the journal were not written/,
            /^entry 7 \(confirmation of anchor \d\): it (is|has)|^anchor/,
          ] as const,
      ),
      ...Object.entries({ tx_hash: Buffer.alloc(32, 7), block_number: 9, block_hash: Buffer.alloc(32, 7) }).map(
        ([fact, value]) =>
          [
            `confirmation: its ${fact}`,
            [entry(7, { [fact]: value })],
            /^the entries 7 to 7 of the journal were not written/,
            /^entry 7 .confirmation of anchor 1.: the tables do not have what the entry says$/,
          ] as const,
      ),
      ["a confirmation deleted", ["delete from confirmations where sequence = 7"], /^entry 7 .*: the tables/],
      [
        "checkpoint of another digest",
        [entry(20, { hash: Buffer.alloc(32, 7) })],
        /^the entries 20 to 20 of the journal were not written/,
        /^entry 20: the digest anchored for entry 15/,
      ],
      ["anchor: number", ["update anchors set id = 77 where id = 1"], /^anchor 1 .entry 7.: it is not there/],
      [
        "anchor: hash",
        [`update anchors set hash = ${X} where id = 1`],
        /^anchor 1 .entry 7.: it is not as a relayer has written it$/,
      ],
      [
        "anchor: hash alone",
        [`update anchors set hash = ${X} where id = 2`],
        /^anchor 2 .entry 9.: it is not as a relayer has written it$/,
      ],
      [
        "anchor: size",
        ["update anchors set size = 4 where id = 1"],
        /^anchor 1 .entry 7.: it is not as a relayer has written it$/,
      ],
      [
        "anchor: size, upwards",
        ["update anchors set size = 6 where id = 1"],
        /^anchor 1 .entry 7.: it is not as a relayer has written it$/,
      ],
      [
        "anchor: a checkpoint",
        ["update anchors set checkpoint = 3 where confirmation is null and checkpoint is null and hash is not null"],
        /^anchor \d .entry 23.: it is not there/,
      ],
      [
        "anchor: opened again",
        ["update anchors set hash = null, transaction_id = null where id = 1"],
        /^anchor 1 .entry 7.: it is not as a relayer has written it$/,
      ],
      [
        "anchor: confirmation of another",
        ["update anchors set confirmation = 9 where id = 1"],
        /^anchor 1 .entry 7.: it does not name the newest entry that confirms it$/,
      ],
      [
        "anchor: confirmation that is none",
        ["update anchors set confirmation = 2 where id = 1"],
        /^anchor 1 .entry 7.: it does not name the newest entry that confirms it$/,
      ],
      [
        "anchor: no confirmation",
        ["update anchors set confirmation = null where id = 1"],
        /^anchor 1 .entry 7.: it does not name the newest entry that confirms it$/,
      ],
      [
        "anchor: confirmed without one",
        ["update anchors set confirmation = 7 where confirmation is null and hash is not null"],
        /^anchor \d .entry 23.: it does not name the newest entry that confirms it$/,
      ],
      [
        "anchor: checkpoint of another",
        ["update anchors set checkpoint = 14 where checkpoint = 15"],
        /^anchor 5 .entry 20.: it is not as a relayer has written it$/,
      ],
      [
        "a checkpoint's confirmation",
        ["update anchors set confirmation = null where checkpoint = 15"],
        /^anchor 5 .entry 20.: it does not name the newest entry/,
      ],
      ["an anchor deleted", ["delete from anchors where id = 1"], /^anchor 1 .entry 7.: it is not there/],
      [
        "a key removed",
        [`delete from proof_index_recent where ${lastKeyOf(4)}`],
        /^entry 4: it cannot be found by its (recorded hash|hash|document)$/,
      ],
      [
        "all keys removed",
        ["delete from proof_index_recent"],
        /^entry 2: it cannot be found by its recorded hash$/,
        /^entry 28: it cannot be found by its document$/,
      ],
      [
        "a key changed",
        [`update proof_index_recent set key = key + 1 where ${lastKeyOf(4)}`],
        /^entry 4: it cannot be found by its (recorded hash|hash|document)$/,
      ],
      [
        "a key re-pointed",
        [`update proof_index_recent set sequence = 5 where ${lastKeyOf(4)}`],
        /^entry 4: it cannot be found by its/,
      ],
    ];
    for (const [what, changes, ...expected] of CASES) {
      it(what, async () => {
        await tamper(...changes);
        const { texts } = await check();
        for (const each of expected)
          assert.isTrue(
            texts.some((text) => each.test(text)),
            `${each} is not in\n${texts.join("\n")}`,
          );
      });
    }
  });

  describe("finds entries rewritten with the journal's key", function () {
    journalWith((first) => first.everything());

    it("by the anchors of the proofs and of the journal", async () => {
      await rewriteRows(opened.database, entry(4, { document_id: "other" }));
      const { texts } = await check();
      assert.include(
        texts,
        "anchor 1: the recorded hashes of its proofs, among entries 2 to 6, do not give the anchored hash",
      );
      assert.include(
        texts,
        "entry 20: the digest anchored for entry 15 is not the one that the journal gives: " +
          "the journal up to there was written anew",
      );
      assert.include(texts, "entry 4: it cannot be found by its document");
    });

    it("by the checkpoints alone, without other evidence", async () => {
      await rewriteRows(opened.database, entry(4, { metadata: null }));
      assert.deepEqual((await check()).texts, [
        "entry 20: the digest anchored for entry 15 is not the one that the journal gives: " +
          "the journal up to there was written anew",
      ]);
    });
  });

  describe("is interrupted", function () {
    journalWith(async (first) => {
      for (let n = 0; n < 6; n += 1) await first.confirmed(1000);
    });

    it("and ends with what it found until then", async () => {
      const stop = new AbortController();
      const result = await checkJournal(
        {
          database: opened.database,
          key: KEY,
          onFinding: ({ kind }) => assert.fail(kind),
          onProgress: (done) => void (done > 3_000 && stop.abort()),
        },
        stop.signal,
      );
      assert.isFalse(result.isComplete);
      assert.isAbove(result.to, 3_000);
      assert.isBelow(result.to, 6_006);
    });
  });

  describe("queries the chain", function () {
    const CONTRACT = `0x${"11".repeat(20)}`;
    /** A chain that has what the journal says. */
    const honest = async (): Promise<ChainQueries> => {
      const rows = await opened.database.selectFrom("confirmations").selectAll().execute();
      return {
        async anchorOf(hash) {
          const row = rows.find((each) => Buffer.compare(each.hash, hash) === 0);
          return row && { contract: CONTRACT, time: row.block_time, blockNumber: row.block_number, size: row.size };
        },
        async anchoringBlock(number) {
          const row = rows.find((each) => each.block_number === number);
          return (
            row && {
              block: { number, hash: row.block_hash, time: row.block_time, validator: "" },
              given: (transaction) => (Buffer.compare(row.transaction_hash, transaction) === 0 ? row.hash : "failed"),
            }
          );
        },
      };
    };
    journalWith((first) => first.everything());

    it("for every valid confirmation", async () => {
      const { texts, result } = await check(await honest());
      assert.deepEqual(texts, []);
      assert.equal(result.compared, 5);
    });

    const LIES: Readonly<Record<string, (chain: ChainQueries) => ChainQueries>> = {
      "the chain does not know its hash": (honest) => ({ ...honest, anchorOf: async () => undefined }),
      "the chain has its hash with another size": (honest) => ({
        ...honest,
        anchorOf: async (hash) => ({
          contract: CONTRACT,
          time: 1,
          blockNumber: 1,
          ...(await honest.anchorOf(hash)),
          size: 7,
        }),
      }),
      "the chain saw its hash only later": (honest) => ({
        ...honest,
        anchorOf: async (hash) => ({
          contract: CONTRACT,
          time: 1,
          size: 0,
          ...(await honest.anchorOf(hash)),
          blockNumber: 900,
        }),
      }),
      "the chain has no such block": (honest) => ({ ...honest, anchoringBlock: async () => undefined }),
      "the chain has another block under that number": (honest) => withBlock(honest, { hash: Buffer.alloc(32, 7) }),
      "the chain's block has another time": (honest) => withBlock(honest, { time: 7 }),
      "the block does not have its transaction, or that one failed": (honest) => withGiven(honest, "failed"),
      "its transaction did not give the contract this hash": (honest) => withGiven(honest, Buffer.alloc(32, 7)),
    };
    for (const [what, lie] of Object.entries(LIES)) {
      it(`and finds that ${what}`, async () => {
        const { texts } = await check(lie(await honest()));
        assert.include(texts, `entry 7 (confirmation of anchor 1 in block 101): ${what}`);
        assert.lengthOf(texts, 5);
      });
    }

    it("and accepts a confirmation that was rolled back meanwhile", async () => {
      const chain = await honest();
      const { texts } = await check({
        ...chain,
        async anchorOf(hash) {
          await sql`update anchors set confirmation = null where confirmation = 7`.execute(opened.database);
          const own = sql`(select transaction_id from anchors where id = 1)`;
          await sql`update transactions set state = 'sent' where id = ${own}`.execute(opened.database);
          return (await chain.anchorOf(hash))?.blockNumber === 101 ? undefined : chain.anchorOf(hash);
        },
      });
      assert.isFalse(
        texts.some((text) => text.includes("entry 7 ")),
        texts.join("\n"),
      );
    });

    it("finds a confirmation forged with all its dependent data", async () => {
      const chain = await honest();
      const pending = await opened.database
        .selectFrom("anchors")
        .select("transaction_id")
        .where("confirmation", "is", null)
        .where("hash", "is not", null)
        .orderBy("id")
        .executeTakeFirstOrThrow();
      await writer.recordOutcome(pending.transaction_id ?? 0);
      const { texts } = await check(chain);
      assert.lengthOf(texts, 1);
      assert.match(
        texts[0] ?? "",
        /^entry 29 \(confirmation of anchor \d+ in block \d+\): the chain does not know its hash$/,
      );
    });
  });
});

function withBlock(honest: ChainQueries, change: Partial<BlockReference>): ChainQueries {
  return {
    ...honest,
    async anchoringBlock(number) {
      const found = await honest.anchoringBlock(number);
      return found && { ...found, block: { ...found.block, ...change } };
    },
  };
}

function withGiven(honest: ChainQueries, given: "failed" | Uint8Array): ChainQueries {
  return {
    ...honest,
    async anchoringBlock(number) {
      const found = await honest.anchoringBlock(number);
      return found && { ...found, given: () => given };
    },
  };
}
