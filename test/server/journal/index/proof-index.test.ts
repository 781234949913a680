import { createHash } from "node:crypto";
import { assert } from "chai";
import fc from "fast-check";
import { sql } from "kysely";
import type { ProofEntry } from "../../../../server/journal/entries/codec.ts";
import {
  entriesWith,
  insertKeys,
  newestOfEach,
  notFoundBy,
  replaceKeys,
  someWith,
} from "../../../../server/journal/index/proof-index.ts";
import { documentKey, KEY_RANGE, type KeyKind, keyOf, keysOf } from "../../../../server/journal/index/proof-key.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";

/** After so many entries every slice of the keys was moved. */
const ROUND = 65_536;

/** A key that no proof has. */
const FOREIGN = 12_345 * 2 ** 24;

const proofOf = (sequence: number, document: number, content: number): ProofEntry => ({
  sequence,
  kind: "proof",
  document_id: `document ${document}`,
  hash: Buffer.alloc(32, content),
  timestamp: 1,
  type: null,
  source: null,
  metadata: null,
  accepted_at: 1,
  anchor: 1,
  leaf: 0,
});

/** Few documents and contents, such that they come again, in entries that are close together and far apart. */
const somePieces = fc.array(
  fc.record({
    proofs: fc.array(fc.record({ document: fc.nat(3), content: fc.constantFrom(0, 1, 0x7f, 0x80, 0xff) }), {
      maxLength: 20,
    }),
    gap: fc.constantFrom(0, 1, 127, 128, 129, 5_000, ROUND),
  }),
  { maxLength: 6 },
);

describe("a key", function () {
  it("consists of the first 48 bits of a hash", () => {
    assert.equal(keyOf(Buffer.from("ffffffffffff0000", "hex")), KEY_RANGE - 1);
    assert.equal(keyOf(Buffer.from("0000000000010000", "hex")), 1);
    assert.equal(keyOf(Buffer.from("000000000000ffff", "hex")), 0);
    // The SHA-256 of nothing begins with e3b0c44298fc.
    assert.equal(documentKey(""), 0xe3b0c44298fc);
  });
});

for (const engine of ENGINES)
  describe(`keys of proofs, on ${engine}`, function () {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await openTestDatabase(engine);
    });
    afterEach(() => opened.close());

    const insert = (proofs: readonly ProofEntry[], before: number, now: number): Promise<void> =>
      opened.database.transaction().execute((transaction) => insertKeys(transaction, proofs, before, now));

    it("lead to the entries of their proofs, wherever the keys are, in any range", () =>
      fc.assert(
        fc.asyncProperty(somePieces, async (pieces) => {
          const { database } = opened;
          await sql`delete from proof_index`.execute(database);
          if (engine === "sqlite") await sql`delete from proof_index_recent`.execute(database);
          const all: ProofEntry[] = [];
          let now = 0;
          for (const { proofs, gap } of pieces) {
            const added = proofs.map(({ document, content }, index) => proofOf(now + 1 + index, document, content));
            await insert(added, now, now + added.length + gap);
            all.push(...added);
            now += added.length + gap;
          }
          for (const kind of ["record", "hash", "document"] as const) await assertFound(kind, all);
        }),
        { numRuns: 40 },
      ));

    const assertFound = async (kind: KeyKind, all: readonly ProofEntry[]): Promise<void> => {
      const { database } = opened;
      const known = Map.groupBy(all, (proof) => keysOf(proof)[kind]);
      const every = all.map(({ sequence }) => sequence);
      assert.deepEqual(await entriesWith(database, kind, [...known.keys(), FOREIGN]), every);
      for (const [key, proofs] of known) {
        const sequences = proofs.map(({ sequence }) => sequence);
        const middle = sequences[Math.floor(sequences.length / 2)] ?? 0;
        for (const at of [0, middle, sequences.at(-1) ?? 0, Infinity]) {
          const below = sequences.filter((sequence) => sequence < at);
          const above = sequences.filter((sequence) => sequence > at);
          const newest = { order: "newest first", from: at, limit: 2 } as const;
          assert.deepEqual(await someWith(database, kind, key, newest), below.slice(-2));
          const oldest = { order: "oldest first", from: at, limit: 2 } as const;
          assert.deepEqual(await someWith(database, kind, key, oldest), above.slice(0, 2));
          const found = await newestOfEach(database, kind, [key, FOREIGN], at);
          assert.deepEqual([...found], below.length === 0 ? [] : [[key, below.at(-1)]]);
          if (at === Infinity) continue;
          assert.deepEqual(await entriesWith(database, kind, [key], at), [...sequences.filter((s) => s >= at)]);
        }
      }
    };

    it("are found by kind when the hash of a document is that of its id", async () => {
      const hash = createHash("sha256").update("document 1").digest();
      await insert([{ ...proofOf(1, 1, 0), hash }], 0, 1);
      assert.deepEqual(await entriesWith(opened.database, "hash", [keyOf(hash)]), [1]);
      assert.deepEqual(await entriesWith(opened.database, "document", [keyOf(hash)]), [1]);
    });

    it("are missed when they are exchanged between two proofs", async () => {
      const proofs = [proofOf(1, 1, 1), proofOf(2, 2, 2)];
      await insert(proofs, 0, 2);
      const keyed = proofs.map((proof) => ({ sequence: proof.sequence, keys: keysOf(proof) }));
      assert.deepEqual(await notFoundBy(opened.database, "document", keyed), []);
      await sql`update proof_index set sequence = 3 - sequence`.execute(opened.database);
      if (engine === "sqlite") {
        const [table, other] = ["proof_index_recent", "proof_index"].map((name) => sql.table(name));
        await sql`insert into ${other} select key, 3 - sequence from ${table}`.execute(opened.database);
        await sql`delete from ${table}`.execute(opened.database);
      }
      assert.deepEqual(await notFoundBy(opened.database, "document", keyed), [1, 2]);
    });

    it("are one row of a proof when some of them are written anew", async () => {
      const proof = proofOf(1, 1, 1);
      await insert([proof], 0, 1);
      const { database } = opened;
      if (engine === "postgres") await sql`update proof_index set hash_key = 7`.execute(database);
      else await sql`delete from proof_index_recent where key = ${keysOf(proof).hash}`.execute(database);
      const keyed = [{ sequence: 1, keys: keysOf(proof) }];
      assert.deepEqual(await notFoundBy(database, "hash", keyed), [1]);
      await database.transaction().execute((transaction) => replaceKeys(transaction, [proof], 1));
      for (const kind of ["record", "hash", "document"] as const)
        assert.deepEqual(await notFoundBy(database, kind, keyed), []);
      const table = sql.table(engine === "postgres" ? "proof_index" : "proof_index_recent");
      const { rows } = await sql`select * from ${table}`.execute(database);
      assert.lengthOf(rows, engine === "postgres" ? 1 : 3);
    });

    it("are found, with every number of values", async () => {
      const count = 3_000;
      await insert(
        Array.from({ length: count }, (_, index) => proofOf(index + 1, index, 0)),
        0,
        count,
      );
      const keys = Array.from({ length: count }, (_, index) => documentKey(`document ${index}`));
      assert.lengthOf(await entriesWith(opened.database, "document", keys), count);
      assert.lengthOf(await entriesWith(opened.database, "document", []), 0);
      assert.equal((await newestOfEach(opened.database, "document", keys, Infinity)).size, count);
    });
  });
