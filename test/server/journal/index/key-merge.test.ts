import { createHash } from "node:crypto";
import { assert } from "chai";
import fc from "fast-check";
import { KEY_ENTRY_BYTES, numbersUnder, tagOf } from "../../../../server/journal/index/key-codec.ts";
import { KeyLookups } from "../../../../server/journal/index/key-lookups.ts";
import { documentKey, KEY_RANGE, keyOf, keysOf } from "../../../../server/journal/index/proof-key.ts";
import { mergeRecentKeys } from "../../../../server/journal/index/key-merge.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../../support/database.ts";

/** After so many entries every slice was brought over. */
const ROUND = 65_536;

/** Few, such that they come again and share buckets, of which the first and the last are among them. */
const aKey = fc
  .tuple(fc.constantFrom(0, 1, 2 ** 15, 2 ** 22 - 1), fc.constantFrom(0, 1, 0x0101, 0xffff))
  .map(([bucket, tag]) => bucket * 2 ** 16 + tag);
/** Around the bounds of epochs, and with bytes that look like tags. */
const aNumber = fc
  .tuple(fc.constantFrom(0, 1, 2, 300, 2 ** 16), fc.constantFrom(0, 1, 0x0101, 0x010101, 2 ** 24 - 1))
  .map(([epoch, number]) => epoch * 2 ** 24 + number);
const someKeys = fc.uniqueArray(fc.record({ key: aKey, sequence: aNumber }), {
  maxLength: 60,
  selector: ({ key, sequence }) => `${key} ${sequence}`,
});

describe("a key", function () {
  it("consists of the first 38 bits of a hash", () => {
    assert.equal(keyOf(Buffer.from("ffffffffffff0000", "hex")), KEY_RANGE - 1);
    assert.equal(keyOf(Buffer.from("0000000004000000", "hex")), 1);
    assert.equal(keyOf(Buffer.from("0000000003ffffff", "hex")), 0);
    // The SHA-256 of nothing begins with e3b0c44298fc.
    assert.equal(documentKey(""), Math.floor(0xe3b0c44298fc / 2 ** 10));
  });

  it("is stored once when a document's hash equals that of its id", () => {
    const hash = createHash("sha256").update("a").digest();
    assert.deepEqual(keysOf({ documentId: "a", hash, recordHash: Buffer.alloc(32) }), [0, keyOf(hash)]);
  });

  it("is found among its packed neighbours, and no other", () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ key: aKey, number: aNumber.map((number) => number % 2 ** 24) })),
        aKey,
        fc.nat(1000),
        (packed, wanted, epoch) => {
          const entries = Buffer.concat(
            packed.map(({ key, number }) => {
              const bytes = Buffer.alloc(KEY_ENTRY_BYTES);
              bytes.set(tagOf(key));
              bytes.writeUIntBE(number, 2, 3);
              return bytes;
            }),
          );
          const expected = packed
            .filter(({ key }) => key % 2 ** 16 === wanted % 2 ** 16)
            .map(({ number }) => epoch * 2 ** 24 + number);
          assert.deepEqual(numbersUnder(tagOf(wanted), epoch, entries), expected);
        },
      ),
    ));
});

for (const engine of ENGINES)
  describe(`keys of proofs, on ${engine}`, function () {
    let opened: TestDatabase;
    beforeEach(async () => {
      opened = await openTestDatabase(engine);
    });
    afterEach(() => opened.close());

    it("find the same entries before and after a merge, in any ranges", () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(someKeys, fc.integer({ min: 0, max: 2 * ROUND })), { maxLength: 4 }),
          async (pieces) => {
            const { database } = opened;
            await database.deleteFrom("proof_keys").execute();
            await database.deleteFrom("proof_keys_recent").execute();
            const known = new Map<number, Set<number>>();
            let now = 0;
            for (const [keys, entries] of pieces) {
              const added = keys.filter(({ key, sequence }) => !known.get(key)?.has(sequence));
              for (const { key, sequence } of added) known.set(key, new Set([...(known.get(key) ?? []), sequence]));
              if (added.length > 0) await database.insertInto("proof_keys_recent").values(added).execute();
              await database.transaction().execute((transaction) => mergeRecentKeys(transaction, now, now + entries));
              now += entries;
            }
            const lookups = new KeyLookups();
            for (const [key, numbers] of known) {
              const sorted = [...numbers].sort((a, b) => a - b);
              assert.deepEqual(await lookups.numbersOf(database, [key]), sorted);
              for (const before of [Infinity, sorted.at(-1) ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0]) {
                const below = sorted.filter((number) => number < before);
                const newest = { order: "newest first", from: before, limit: 2 } as const;
                assert.deepEqual(await lookups.someOf(database, key, newest), below.slice(-2));
                const newestOfEach = await lookups.newestOfEach(database, [key, 12_345], before);
                assert.deepEqual([...newestOfEach], below.length === 0 ? [] : [[key, below.at(-1)]]);
                const after = sorted.filter((number) => number > before);
                const oldest = { order: "oldest first", from: before, limit: 2 } as const;
                assert.deepEqual(await lookups.someOf(database, key, oldest), after.slice(0, 2));
              }
            }
            const all = new Set([...known.values()].flatMap((numbers) => [...numbers]));
            assert.deepEqual(
              await lookups.numbersOf(database, [...known.keys()]),
              [...all].sort((a, b) => a - b),
            );
            assert.isEmpty(await lookups.numbersOf(database, [12_345]));
          },
        ),
        { numRuns: 40 },
      ));

    it("are all merged after a pass over every slice", async () => {
      const { database } = opened;
      const keys = Array.from({ length: 1000 }, (_, index) => ({
        key: Math.floor((index * KEY_RANGE) / 1000),
        sequence: index + 1,
      }));
      await database.insertInto("proof_keys_recent").values(keys).execute();
      await database.transaction().execute((transaction) => mergeRecentKeys(transaction, 0, ROUND));
      assert.isEmpty(await database.selectFrom("proof_keys_recent").selectAll().execute());
      assert.lengthOf(
        await new KeyLookups().numbersOf(
          database,
          keys.map(({ key }) => key),
        ),
        1000,
      );
    });
  });
