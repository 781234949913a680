import { minedAs } from "../../../support/mined.ts";
import { randomBytes } from "node:crypto";
import { assert } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import { recordHash } from "../../../../server/journal/integrity/record-hash.ts";
import type { Journal } from "../../../../server/composition/journal.ts";
import type { AcceptedProof, ProofMetadata } from "../../../../server/proofs/proof.ts";
import { readEntries } from "../../../../server/journal/entries/entry-source.ts";
import { createJournal } from "../../../../server/composition/journal.ts";
import { encodeEntry } from "../../../../server/journal/entries/codec.ts";
import { transactionStore } from "../../../../server/journal/transactions/transaction-store.ts";
import { GENESIS_DIGEST, nextDigest } from "../../../../server/journal/integrity/entry-chain.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { assertChained } from "../../../support/journal-chain.ts";
import { KEY } from "../../../support/journal-key.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

for (const engine of ENGINES)
  describe(`the journal's entries, on ${engine}`, function () {
    let opened: TestDatabase;
    let journal: Journal;
    beforeEach(async () => {
      opened = await openTestDatabase(engine);
      journal = createJournal(opened.database, KEY, ADDRESSES);
    });
    afterEach(() => opened.close());

    const proofAt = (
      anchorId: number,
      leafIndex: number,
      documentId = `document ${leafIndex}`,
      metadata: ProofMetadata = { timestamp: 1 },
    ): AcceptedProof => {
      const hash = randomBytes(32);
      const recorded = recordHash({ documentId, timestamp: metadata.timestamp, type: metadata.type ?? "", hash });
      return {
        documentId,
        hash,
        recordHash: recorded,
        metadata,
        acceptedAt: 1_700_000_000_000,
        anchorId,
        leafIndex,
      };
    };
    /** Writes a batch, and has it confirmed in a block. */
    const confirmed = async (proofsOf: (anchorId: number) => AcceptedProof[]): Promise<AcceptedProof[]> => {
      const { proofs, transactionId } = await journal.atomically(async (atomic) => {
        const anchorId = await atomic.anchors.open(1);
        const written = proofsOf(anchorId);
        await atomic.proofs.insert(written);
        const id = await atomic.intents.insert({ purpose: "anchor", contract: "ProofAnchor", data: Buffer.alloc(1) });
        await atomic.anchors.close(anchorId, { hash: randomBytes(32), size: written.length, transactionId: id });
        return { proofs: written, transactionId: id };
      });
      const transactions = transactionStore(opened.database, KEY);
      const nonce = ((await transactions.highest(ADDRESS, Number.MAX_SAFE_INTEGER))?.nonce ?? -1) + 1;
      const queued = await transactions.queued(1000);
      await transactions.claim(
        ADDRESS,
        queued.map(({ id }) => ({ id, nonce, raw: randomBytes(9), hash: randomBytes(32) })),
      );
      await transactions.recordOutcomes([
        {
          id: transactionId,
          state: "confirmed",
          ...(await minedAs(opened.database, transactionId)),
          block: { number: 7, hash: randomBytes(32), time: 5, validator: 'a "validator"' },
        },
      ]);
      return proofs;
    };

    it("are consecutive across all kinds", async () => {
      await journal.accounts.insert({ address: ADDRESS, keystore: '{"crypto":"€"}', scope: "full", createdAt: 5 });
      await confirmed((anchorId) => [proofAt(anchorId, 0), proofAt(anchorId, 1)]);
      await confirmed((anchorId) => [proofAt(anchorId, 0)]);
      assert.equal(await assertChained(opened.database), 6);
      const kinds = (await readEntries(opened.database, KEY, 0, 100)).map(({ kind }) => kind);
      assert.deepEqual(kinds, ["account", "proof", "proof", "confirmation", "proof", "confirmation"]);
    });

    it("have digests that can be computed from their lines", async () => {
      await confirmed((anchorId) => Array.from({ length: 5 }, (_, leaf) => proofAt(anchorId, leaf)));
      await confirmed((anchorId) => Array.from({ length: 3 }, (_, leaf) => proofAt(anchorId, leaf)));
      let digest = GENESIS_DIGEST;
      for (const entry of await readEntries(opened.database, KEY, 0, 100)) {
        digest = nextDigest(digest, encodeEntry(entry));
        assert.deepEqual(Buffer.from((await journal.entries.digestAt(entry.sequence)) ?? []), Buffer.from(digest));
      }
    });

    it("leave no gap when one of several concurrent writes fails", async () => {
      const results = await Promise.allSettled(
        Array.from({ length: 30 }, (_, n) =>
          journal.atomically(async (atomic) => {
            const anchorId = await atomic.anchors.open(1);
            await atomic.proofs.insert([proofAt(anchorId, 0, `document ${n}`, { timestamp: n, type: `type ${n}` })]);
            if (n % 3 === 0) throw new Error("no");
          }),
        ),
      );
      assert.lengthOf(
        results.filter(({ status }) => status === "fulfilled"),
        20,
      );
      assert.equal(await assertChained(opened.database), 20);
      assert.deepEqual(await journal.proofs.counts(), { records: 20, pending: 20 });
    });

    it("round-trip every text and number of a proof", () =>
      fc
        .assert(
          fc.asyncProperty(
            fc
              .string({ unit: "binary", minLength: 1, maxLength: 20 })
              .filter((text) => text.isWellFormed() && !text.includes("\0")),
            fc.option(
              fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
              { nil: undefined },
            ),
            fc.option(
              fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0")),
              { nil: undefined },
            ),
            fc.nat(),
            fc.dictionary(
              fc.string({ unit: "grapheme" }).filter((key) => !["type", "source", "timestamp"].includes(key)),
              fc.jsonValue({ noUnicodeString: false }),
            ),
            async (documentId, type, source, timestamp, rest) => {
              const metadata = {
                ...(type === undefined ? {} : { type }),
                timestamp,
                ...(source === undefined ? {} : { source }),
                ...JSON.parse(JSON.stringify(rest)),
              };
              const [proof] = await confirmed((anchorId) => [proofAt(anchorId, 0, documentId, metadata)]);
              const found = await journal.proofs.byDocument(documentId);
              assert.deepEqual(found[0]?.metadata, metadata);
              assert.deepEqual(Buffer.from(found[0]?.recordHash ?? []), Buffer.from(proof?.recordHash ?? []));
            },
          ),
          { numRuns: 50 },
        )
        .then(() => assertChained(opened.database)));

    it("are found by recorded hash, document hash and document id, before and after their keys are moved", async () => {
      // More entries than it takes to bring over every slice of the keys.
      const batches = 70;
      const written: AcceptedProof[] = [];
      for (let batch = 0; batch < batches; batch += 1) {
        written.push(
          ...(await confirmed((anchorId) =>
            Array.from({ length: 1000 }, (_, leaf) => proofAt(anchorId, leaf, `document ${batch}/${leaf}`)),
          )),
        );
      }
      const rowsOf = async (table: string): Promise<number> => {
        const found = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
          opened.database,
        );
        return found.rows[0]?.count ?? assert.fail();
      };
      if (engine === "sqlite") {
        const [moved, recent] = [await rowsOf("proof_index"), await rowsOf("proof_index_recent")];
        assert.equal(moved + recent, 3 * written.length);
        assert.isAbove(moved, 0);
        assert.isAbove(recent, 0);
      } else {
        assert.equal(await rowsOf("proof_index"), written.length);
      }
      for (let index = 0; index < written.length; index += 997) {
        const proof = written[index];
        if (proof === undefined) continue;
        const found = [
          await journal.proofs.byRecordHashes([proof.recordHash, randomBytes(32)]),
          await Array.fromAsync(journal.proofs.byHash(proof.hash)),
          await journal.proofs.byDocument(proof.documentId),
        ];
        assert.deepEqual(
          found.map((proofs) => proofs.map(({ documentId }) => documentId)),
          Array(3).fill([proof.documentId]),
        );
      }
      assert.isEmpty(await Array.fromAsync(journal.proofs.byHash(randomBytes(32))));
    });
  });
