import { randomBytes } from "node:crypto";
import { assert } from "chai";
import { type IssuerKeyStore, issuerKeyStore, type JournaledKey } from "../../../server/issuer/issuer-key-store.ts";
import { decodeEntry, encodeEntry } from "../../../server/journal/entries/codec.ts";
import { readEntries } from "../../../server/journal/entries/entry-source.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { assertChained } from "../../support/journal-chain.ts";
import { KEY } from "../../support/journal-key.ts";
import { thrownBy } from "../../support/thrown.ts";

const key = (createdAt: number, keystore?: string): JournaledKey => ({
  publicKey: randomBytes(65),
  keystore,
  createdAt,
});
const plain = ({ publicKey, ...others }: JournaledKey) => ({
  publicKey: Buffer.from(publicKey).toString("hex"),
  ...others,
});

for (const engine of ENGINES)
  describe(`the issuer's keys in the journal, on ${engine}`, () => {
    let opened: TestDatabase;
    let store: IssuerKeyStore;
    beforeEach(async () => {
      opened = await openTestDatabase(engine);
      store = issuerKeyStore(opened.database, KEY);
    });
    afterEach(() => opened.close());

    it("are entries, once each, the newest first", async () => {
      const [first, second] = [key(1), key(2, '{"crypto":"€"}')];
      for (const each of [first, second, first, second]) await store.add(each);
      await Promise.all([store.add(first), store.add(second)]);
      assert.deepEqual((await store.list()).map(plain), [second, first].map(plain));
      assert.equal(await assertChained(opened.database), 2);
      for (const entry of await readEntries(opened.database, KEY, 0, 10)) {
        assert.equal(entry.kind, "issuer_key");
        assert.equal(encodeEntry(decodeEntry(encodeEntry(entry))), encodeEntry(entry));
      }
    });

    it("are not believed without the entry", async () => {
      await store.add(key(1));
      await opened.database
        .insertInto("issuer_keys")
        .values({ sequence: 2, public_key: randomBytes(65), keystore: null, created_at: 2 })
        .execute();
      assert.propertyVal(await thrownBy(store.list()), "code", "journal_damaged");
    });

    it("get another entry when a password encrypts them", async () => {
      const bare = key(1);
      const encrypted = { ...bare, keystore: "{}" };
      for (const each of [bare, encrypted, bare]) await store.add(each);
      assert.deepEqual((await store.list()).map(plain), [plain(encrypted)]);
      assert.equal(await assertChained(opened.database), 2);
    });
  });
