import { assert } from "chai";
import { sql } from "kysely";
import type { BlockReference } from "../../../server/chain/block.ts";
import type { ResumePoint } from "../../../scripts/journal/resume-point.ts";
import { GENESIS_DIGEST, linkOf, nextDigest } from "../../../server/journal/integrity/entry-chain.ts";
import { type Finding, findingText } from "../../../scripts/journal/finding.ts";
import { readEntries } from "../../../server/journal/entries/entry-rows.ts";
import { type AnchorQueries, type CheckResult, JournalCheck } from "../../../scripts/journal/journal-check.ts";
import { digestFrom } from "../../../server/journal/entries/entry-source.ts";
import { encodeEntry } from "../../../server/journal/entries/codec.ts";
import { besideWrites } from "../../support/beside-writes.ts";
import type { JournalWriter } from "../../support/journal-writer.ts";
import { type JournalCopy, prepareJournal, type PreparedJournal } from "../../support/prepared-journal.ts";

const NEW_ANCHOR = `insert into anchors
  (batch_id, first_leaf, last_leaf, first_sequence, last_sequence, size, relayer, opened_at)`;

/** Inserts a copy of entry 4 under another number. */
const copyOfEntry4 = (sequence: number): string => {
  const rest = "document_id, hash, timestamp, label_id, metadata, accepted_at, batch_id, leaf_index, shares_leaf, link";
  return `insert into proofs (sequence, ${rest}) select ${sequence}, ${rest} from proofs where sequence = 4`;
};

/** The condition for the highest key of an entry. */
const lastKeyOf = (sequence: number): string =>
  `sequence = ${sequence} and key = (select max(key) from proof_keys_recent where sequence = ${sequence})`;

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
    start?: ResumePoint,
    chain?: AnchorQueries,
  ): Promise<{ findings: Finding[]; texts: string[]; result: CheckResult; resumePoints: ResumePoint[] }> => {
    const findings: Finding[] = [];
    const resumePoints: ResumePoint[] = [];
    const { database } = opened;
    const parts = {
      database,
      ...(chain === undefined ? {} : { chain }),
      onFinding: (finding: Finding) => void findings.push(finding),
      onResumePoint: (at: ResumePoint) => void resumePoints.push(at),
    };
    const result = await JournalCheck.run(parts, start);
    assert.equal(result.findings, findings.length);
    return { findings, texts: findings.map(findingText), result, resumePoints };
  };
  /** Like a process with access to the file: without triggers and checks. */
  const tamper = async (...statements: string[]): Promise<void> => {
    const triggers = await sql<{ name: string }>`select name from sqlite_master where type = 'trigger'`.execute(
      opened.database,
    );
    await sql`pragma foreign_keys = off`.execute(opened.database);
    await opened.database.transaction().execute(async (transaction) => {
      for (const { name } of triggers.rows) await sql`drop trigger ${sql.ref(name)}`.execute(transaction);
      for (const statement of statements) await sql.raw(statement).execute(transaction);
    });
  };
  /** Computes all digests again, to hide a change. */
  const rewrite = async (): Promise<void> => {
    const { database } = opened;
    let digest = GENESIS_DIGEST;
    for (const { entry } of await readEntries(database, 0, 1000)) {
      digest = nextDigest(digest, encodeEntry(entry));
      const { sequence } = entry;
      if (entry.kind === "proof")
        await database
          .updateTable("proofs")
          .set({ link: linkOf(digest) })
          .where("sequence", "=", sequence)
          .execute();
      else
        await database
          .updateTable(entry.kind === "account" ? "accounts" : "confirmations")
          .set({ digest })
          .where("sequence", "=", sequence)
          .execute();
    }
    await database.updateTable("journal_head").set({ digest }).execute();
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
      await tamper(
        "update proofs set accepted_at = 3 where sequence in (5, 27, 50)",
        "update confirmations set block_time = 3 where sequence = 44",
      );
      const position = (finding: Finding): number => ("sequence" in finding ? finding.sequence : 0);
      const findings = (await check()).findings.sort((a, b) => position(a) - position(b));
      assert.deepEqual(
        findings.map((finding) => ("sequence" in finding ? [finding.kind, finding.sequence] : [finding.kind])),
        [
          ["entry_changed", 5],
          ["entry_changed", 27],
          ["entry_changed", 44],
          ["entry_changed", 50],
        ],
      );
      assert.deepEqual(
        findings.map((finding) => (finding.kind === "entry_changed" ? finding.unverifiable : undefined)),
        [{ first: 6, last: 11 }, { first: 28, last: 33 }, undefined, { first: 51, last: 55 }],
      );
    });

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
    /** What is done, and what has to be among the findings. */
    const CASES: readonly (readonly [what: string, statements: readonly string[], ...expected: RegExp[]])[] = [
      [
        "document of a proof",
        ["update proofs set document_id = 'other' where sequence = 4"],
        /^entry 4 \(proof of document "other"\): its contents do not give its digest: it was changed \(in its document/,
        /^anchor \d+: .*entry 4 /,
        /^entry 4: it cannot be found by its document/,
      ],
      [
        "hash of a proof",
        [`update proofs set hash = ${X} where sequence = 4`],
        /^entry 4 .*was changed \(in its/,
        /^anchor /,
        /^entry 4: it cannot be found by its hash/,
      ],
      [
        "timestamp of a proof",
        ["update proofs set timestamp = timestamp + 1 where sequence = 4"],
        /^entry 4 .*was changed \(in its/,
        /^anchor /,
        /^entry 4: .*recorded hash/,
      ],
      [
        "label of a proof",
        [
          'insert into proof_labels (text) values (\'["log","else"]\')',
          "update proofs set label_id = (select max(id) from proof_labels) where sequence = 4",
        ],
        /^entry 4 .*was changed \(document, hash, timestamp and type are what was anchored/,
      ],
      [
        "a label itself",
        ['update proof_labels set text = \'["log","else"]\' where id = 1'],
        /^entry 2 .*what was anchored.*; entries 3 to 7 cannot be checked/,
      ],
      [
        "metadata of a proof",
        ["update proofs set metadata = '{}' where sequence = 4"],
        /^entry 4 .*what was anchored: it is something else\); entries 5 to 7/,
      ],
      [
        "when a proof was accepted",
        ["update proofs set accepted_at = 1 where sequence = 4"],
        /^entry 4 .*what was anchored/,
      ],
      [
        "batch of a proof",
        ["update proofs set batch_id = 2 where sequence = 4"],
        /^entry 4 .*was changed/,
        /leaf 2 without|leaf 2 is without a proof|batch 1: leaf 2/,
      ],
      [
        "leaf of a proof",
        ["update proofs set leaf_index = 9 where sequence = 4"],
        /^entry 4 .*was changed/,
        /^batch 1: leaf 2 is without a proof/,
      ],
      [
        "digest of a proof",
        ["update proofs set link = x'0011223344556677' where sequence = 4"],
        /^entry 4 .*the digest stored with it was changed; its contents were not$/,
      ],
      [
        "length of a proof's digest",
        ["update proofs set link = x'' where sequence = 4"],
        /^entry 4 .*the digest stored with it was changed/,
      ],
      [
        "that a proof shares a leaf",
        ["update proofs set shares_leaf = 1 where sequence = 4"],
        /^entry 4 .*shares a leaf/,
        /^batch 1: leaf 2 is without a proof/,
      ],
      [
        "that a proof has its own leaf",
        ["update proofs set shares_leaf = 0 where sequence = 21"],
        /^entry 21: it has leaf 1 of batch 1|leaf/,
      ],
      ["the last proof", ["update proofs set metadata = '{}' where sequence = 28"], /^entry 28 .*was changed/],
      [
        "number of a proof",
        ["update proofs set sequence = 99 where sequence = 4"],
        /^entry 4 is missing; entries 5 to 7/,
        /^entry 99: the journal's head/,
      ],
      [
        "a proof deleted",
        ["delete from proofs where sequence = 4"],
        /^entry 4 is missing; entries 5 to 7 cannot/,
        /^batch 1: leaf 2 is without a proof/,
        /^the journal's head: it counts 20 proofs, but there are 19/,
      ],
      [
        "the last entries deleted",
        ["delete from proofs where sequence >= 27"],
        /^entries 27 to 28 are missing/,
        /it has no proofs/,
      ],
      [
        "the last entries deleted, with the head",
        ["delete from proofs where sequence >= 27", "update journal_head set sequence = 26, proofs = 18"],
        /^the journal's head: its digest is not that of entry 26/,
        /it has no proofs/,
        /^key \d+: it leads to entry 27/,
      ],
      [
        "a proof inserted twice",
        [copyOfEntry4(1)],
        /^entry 1 \(proof of document "document 3"\): there is another entry with the same number, and this one/,
        /has leaf 2 of batch 1/,
      ],
      ["a proof inserted at the end", [copyOfEntry4(29)], /^entry 29: the journal's head has 28 as the newest entry/],
      ["a proof inserted before the first", [copyOfEntry4(0)], /^entry 0: entries begin with 1/],
      [
        "two proofs swapped",
        [
          "update proofs set sequence = 1000 where sequence = 4",
          "update proofs set sequence = 4 where sequence = 5",
          "update proofs set sequence = 5 where sequence = 1000",
        ],
        /^entry 4 .*was changed/,
      ],
      [
        "leaves of two proofs swapped",
        ["update proofs set leaf_index = case leaf_index when 2 then 1 else 2 end where sequence in (3, 4)"],
        /^entry 3 .*was changed/,
        /^anchor 1: the recorded hashes/,
      ],
      [
        "keystore of an account",
        ["update accounts set keystore = 'x' where sequence = 22"],
        /^entry 22 \(account 0x[0-9a-f]{40}\): its contents do not give its digest: it was changed$/,
      ],
      [
        "address of an account",
        ["update accounts set address = 'x' where sequence = 22"],
        /^entry 22 \(account x\): its contents/,
      ],
      ["creation of an account", ["update accounts set created_at = 9 where sequence = 22"], /^entry 22 /],
      [
        "digest of an account",
        [`update accounts set digest = ${X} where sequence = 22`],
        /^entry 22 .*the digest stored with it/,
      ],
      [
        "number of an account",
        ["update accounts set sequence = 99 where sequence = 22"],
        /^entry 22 is missing/,
        /^entry 99/,
      ],
      ["an account deleted", ["delete from accounts where sequence = 1"], /^entry 1 is missing/],
      ...["anchor_id = 3", "batch_id = 3", "first_leaf = 1", `hash = ${X}`, "size = 9", "checkpoint = 3"].map(
        (change) =>
          [
            `confirmation: ${change}`,
            [`update confirmations set ${change} where sequence = 7`],
            /^entry 7 \(confirmation of anchor \d\): its contents/,
            /^entry 7 \(confirmation of anchor \d\): it (is|has)|^anchor/,
          ] as const,
      ),
      ...[`transaction_hash = ${X}`, "block_number = 9", `block_hash = ${X}`].map(
        (change) =>
          [
            `confirmation: ${change}`,
            [`update confirmations set ${change} where sequence = 7`],
            /^entry 7 \(confirmation of anchor 1\): its contents/,
            /^anchor 1: it is confirmed in another transaction/,
          ] as const,
      ),
      ...["block_time = 9", "validator = 'me'"].map(
        (change) =>
          [
            `confirmation: ${change}`,
            [`update confirmations set ${change} where sequence = 7`],
            /^entry 7 \(confirmation of anchor 1\): its contents do not give its digest: it was changed$/,
          ] as const,
      ),
      [
        "digest of a confirmation",
        [`update confirmations set digest = ${X} where sequence = 7`],
        /^entry 7 .*the digest stored with it was changed/,
      ],
      [
        "a confirmation deleted",
        ["delete from confirmations where sequence = 7"],
        /^entry 7 is missing/,
        /^anchor 1: it names as its confirmation an entry that does not/,
      ],
      [
        "checkpoint of another digest",
        [`update confirmations set hash = ${X} where sequence = 20`],
        /^entry 20 .*was changed/,
        /^entry 20: the digest anchored for entry 15/,
      ],
      [
        "digest of the head",
        [`update journal_head set digest = ${X}`],
        /^the journal's head: its digest is not that of entry 28/,
      ],
      [
        "number of the head",
        ["update journal_head set sequence = 27"],
        /^the journal's head: its digest/,
        /^entry 28: the journal's head has/,
      ],
      ["number of the head, upwards", ["update journal_head set sequence = 30"], /^entries 29 to 30 are missing/],
      [
        "count of the head",
        ["update journal_head set proofs = 7"],
        /^the journal's head: it counts 7 proofs, but there are 20/,
      ],
      [
        "anchor: batch",
        ["update anchors set batch_id = 77 where id = 1"],
        /^entry 2: batch 1's leaves 0 to 4 are under no anchor/,
        /^anchor 1: it has no proofs/,
      ],
      [
        "anchor: first leaf",
        ["update anchors set first_leaf = 1 where id = 1"],
        /^entry 2: batch 1's leaf 0 is under no anchor/,
        /^anchor 1: it does not have as many leaves/,
      ],
      [
        "anchor: last leaf",
        ["update anchors set last_leaf = 3 where id = 1"],
        /^entry 6: batch 1's leaf 4 is under no anchor/,
      ],
      [
        "anchor: last leaf, upwards",
        ["update anchors set last_leaf = 5 where id = 1"],
        /^batch 1: leaf 5 is without a proof/,
        /^anchor 1: it does not have as many/,
      ],
      [
        "anchor: first entry",
        ["update anchors set first_sequence = 3 where id = 1"],
        /^anchor 1: it has proofs outside/,
      ],
      ["anchor: last entry", ["update anchors set last_sequence = 5 where id = 1"], /^anchor 1: it has proofs outside/],
      [
        "anchor: last entry of one that is complete",
        ["update anchors set last_sequence = 500 where id = 1", "delete from proofs where sequence = 6"],
        /^anchor 1: it has proofs outside/,
      ],
      [
        "anchor: hash",
        [`update anchors set hash = ${X} where id = 1`],
        /^anchor 1: the recorded hashes of its proofs, among entries 2 to 6, do not give the anchored hash$/,
        /^entry 7 .*another hash/,
      ],
      [
        "anchor: hash alone",
        [`update anchors set hash = ${X} where id = 2`],
        /^anchor 2: the recorded hashes/,
        /^entry 9 .*another hash/,
      ],
      [
        "anchor: size",
        ["update anchors set size = 4 where id = 1"],
        /^anchor 1: it does not have as many/,
        /^entry 7 .*another size/,
      ],
      [
        "anchor: opened again",
        ["update anchors set hash = null, transaction_id = null where id = 1"],
        /^entry 7 .*another hash/,
      ],
      [
        "anchor: transaction",
        ["update anchors set transaction_id = (select transaction_id from anchors where id = 2) where id = 1"],
        /^anchor 1: it is confirmed in another transaction/,
      ],
      [
        "anchor: no such transaction",
        ["update anchors set transaction_id = 999 where id = 1"],
        /^anchor 1: it names a transaction that is not there/,
      ],
      [
        "anchor: confirmation of another",
        ["update anchors set confirmation = 9 where id = 1"],
        /^anchor 1: it names as its confirmation an entry that does not/,
      ],
      [
        "anchor: confirmation that is none",
        ["update anchors set confirmation = 2 where id = 1"],
        /^anchor 1: it names as its confirmation/,
      ],
      [
        "anchor: no confirmation",
        ["update anchors set confirmation = null where id = 1"],
        /^anchor 1: it names no confirmation/,
      ],
      [
        "anchor: confirmed without one",
        ["update anchors set confirmation = 7 where confirmation is null and hash is not null"],
        /^anchor \d: it names as its confirmation/,
      ],
      [
        "anchor: checkpoint of another",
        ["update anchors set checkpoint = 14 where checkpoint = 15"],
        /^entry 20 .*for another entry's digest/,
      ],
      [
        "a checkpoint's confirmation",
        ["update anchors set confirmation = null where checkpoint = 15"],
        /names no confirmation/,
      ],
      [
        "an anchor deleted",
        ["delete from anchors where id = 1"],
        /^entry 2: batch 1's leaves 0 to 4 are under no anchor/,
        /^entry 7 \(confirmation of anchor 1\): it is of an anchor that is not there/,
      ],
      [
        "an anchor added",
        [`${NEW_ANCHOR} values (1, 2, 3, 2, 6, 0, '', 1)`],
        /^anchor \d+: some of its leaves of batch 1 are under anchor 1 as well/,
      ],
      [
        "an anchor added for nothing",
        [`${NEW_ANCHOR} values (77, 0, 3, 2, 6, 0, '', 1)`],
        /^anchor \d+: it has no proofs/,
      ],
      [
        "a transaction's block",
        ["update transactions set block_number = 1 where id = (select transaction_id from anchors where id = 1)"],
        /^anchor 1: it is confirmed in another transaction/,
      ],
      [
        "a transaction deleted",
        ["delete from transactions where id = (select transaction_id from anchors where id = 1)"],
        /^anchor 1: it names a transaction that is not there/,
      ],
      [
        "a key removed",
        [`delete from proof_keys_recent where ${lastKeyOf(4)}`],
        /^entry 4: it cannot be found by its (recorded hash|hash|document)$/,
      ],
      [
        "all keys removed",
        ["delete from proof_keys_recent"],
        /^entry 2: it cannot be found by its recorded hash$/,
        /^entry 28: it cannot be found by its document$/,
      ],
      [
        "a key changed",
        [`update proof_keys_recent set key = key + 1 where ${lastKeyOf(4)}`],
        /^entry 4: it cannot be found by its (recorded hash|hash|document)$/,
        /^key \d+: it leads to entry 4/,
      ],
      [
        "a key re-pointed",
        [`update proof_keys_recent set sequence = 5 where ${lastKeyOf(4)}`],
        /^entry 4: it cannot be found by its/,
        /^key \d+: it leads to entry 5/,
      ],
      [
        "a key added",
        ["insert into proof_keys_recent (key, sequence) values (77, 4)"],
        /^key 77: it leads to entry 4, which it does not belong to$/,
      ],
      [
        "a key doubled",
        [
          `insert into proof_keys (bucket, epoch, entries)
            select key >> 16, 0, unhex(printf('%04x%06x', key & 65535, sequence))
            from proof_keys_recent where ${lastKeyOf(4)}`,
        ],
        /^key \d+: it leads to entry 4/,
      ],
      [
        "a key out of the world",
        ["insert into proof_keys_recent (key, sequence) values (-5, 4)"],
        /^key -5: it leads to entry 4/,
      ],
      [
        "a key of nothing",
        ["insert into proof_keys_recent (key, sequence) values (77, 99)"],
        /^key 77: it leads to entry 99/,
      ],
      [
        "a key of a confirmation",
        ["insert into proof_keys_recent (key, sequence) values (77, 7)"],
        /^key 77: it leads to entry 7/,
      ],
      [
        "a key of what is before the first",
        ["insert into proof_keys_recent (key, sequence) values (77, 0)"],
        /^entr.* 0.*found by/,
      ],
    ];
    for (const [what, statements, ...expected] of CASES) {
      it(what, async () => {
        await tamper(...statements);
        const { texts } = await check();
        for (const each of expected)
          assert.isTrue(
            texts.some((text) => each.test(text)),
            `${each} is not in\n${texts.join("\n")}`,
          );
      });
    }
  });

  describe("finds entries rewritten with all their digests", function () {
    journalWith((first) => first.everything());

    it("by the anchors of the proofs and of the journal", async () => {
      await tamper("update proofs set document_id = 'other' where sequence = 4");
      await rewrite();
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
      await tamper("update proofs set metadata = '{}' where sequence = 4");
      await rewrite();
      assert.deepEqual((await check()).texts, [
        "entry 20: the digest anchored for entry 15 is not the one that the journal gives: " +
          "the journal up to there was written anew",
      ]);
    });
  });

  describe("resumes", function () {
    journalWith(async (first) => {
      for (let n = 0; n < 3; n += 1) await first.confirmed(1000);
      await first.open(500);
    });

    it("after an interrupted check with the same findings", async () => {
      const { database } = opened;
      const stop = new AbortController();
      const interrupted = await JournalCheck.run(
        { database, onFinding: ({ kind }) => assert.fail(kind), onProgress: () => stop.abort() },
        undefined,
        stop.signal,
      );
      assert.isFalse(interrupted.isComplete);
      assert.equal(interrupted.to, 2048);
      assert.equal(interrupted.resumePoint.sequence, 0, "the third batch has begun");
      const { resumePoint } = (await check()).result;
      assert.equal(resumePoint.sequence, 2048, "the last batch is open from entry 3004 on");
    });

    it("without the checked entries, but with the keys that lead to them", async () => {
      for (let n = 0; n < 3; n += 1) await writer.confirmed(1000);
      await sql`update anchors set opened_at = 2`.execute(opened.database);
      const { result } = await check();
      assert.equal(result.findings, 0);
      // Entry 3004 opens a batch that is not closed.
      assert.equal(result.resumePoint.sequence, 2048);
      const again = await check(result.resumePoint);
      assert.deepEqual(again.texts, []);
      assert.equal(again.result.from, 2048);
      assert.equal(again.result.proofs + result.resumePoint.proofs!, 6500);
      await tamper("update proofs set timestamp = 4 where sequence = 6000");
      assert.match((await check(result.resumePoint)).texts.join("\n"), /^entry 6000 .*was changed \(in its/m);
      await tamper(`update proof_keys_recent set key = key + 1 where ${lastKeyOf(3)}`);
      assert.include(
        (await check(result.resumePoint)).texts,
        "entries 1 to 2048: what they are found by is not what belongs to them",
      );
    });

    it("in the middle of a batch", async () => {
      const digest = await digestFrom(opened.database, { sequence: 0, digest: GENESIS_DIGEST }, 1500);
      const { texts, result } = await check({ sequence: 1500, digest, proofs: undefined, keys: undefined });
      assert.deepEqual(texts, []);
      assert.equal(result.proofs, 3500 - 1499);
      await tamper("update proofs set document_id = 'other' where sequence = 1400");
      assert.include(
        (await check({ sequence: 1500, digest, proofs: undefined, keys: undefined })).texts.join(),
        "do not give the anchored hash",
      );
    });

    it("never after a finding", async () => {
      await tamper("update proofs set accepted_at = 4 where sequence = 2500");
      const { result, resumePoints } = await check();
      assert.deepEqual([result.findings, result.resumePoint.sequence, resumePoints.length], [1, 0, 0]);
    });
  });

  describe("queries the chain", function () {
    const CONTRACT = `0x${"11".repeat(20)}`;
    /** A chain that has what the journal says. */
    const honest = async (): Promise<AnchorQueries> => {
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
      const { texts, result } = await check(undefined, await honest());
      assert.deepEqual(texts, []);
      assert.equal(result.compared, 6);
    });

    const LIES: Readonly<Record<string, (chain: AnchorQueries) => AnchorQueries>> = {
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
        const { texts } = await check(undefined, lie(await honest()));
        assert.include(texts, `entry 7 (confirmation of anchor 1 in block 101): ${what}`);
        assert.lengthOf(texts, 6);
      });
    }

    it("and accepts a confirmation that was rolled back meanwhile", async () => {
      const chain = await honest();
      const { texts } = await check(undefined, {
        ...chain,
        async anchorOf(hash) {
          await sql`update anchors set confirmation = null where confirmation = 7`.execute(opened.database);
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
      const { texts } = await check(undefined, chain);
      assert.lengthOf(texts, 1);
      assert.match(
        texts[0] ?? "",
        /^entry 29 \(confirmation of anchor \d+ in block \d+\): the chain does not know its hash$/,
      );
    });
  });
});

function withBlock(honest: AnchorQueries, change: Partial<BlockReference>): AnchorQueries {
  return {
    ...honest,
    async anchoringBlock(number) {
      const found = await honest.anchoringBlock(number);
      return found && { ...found, block: { ...found.block, ...change } };
    },
  };
}

function withGiven(honest: AnchorQueries, given: "failed" | Uint8Array): AnchorQueries {
  return {
    ...honest,
    async anchoringBlock(number) {
      const found = await honest.anchoringBlock(number);
      return found && { ...found, given: () => given };
    },
  };
}
