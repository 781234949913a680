import { assert } from "chai";
import { createJournal } from "../../../server/composition/journal.ts";
import { keyedCall, LIFETIME_MILLISECONDS } from "../../../server/journal/keyed-calls.ts";
import { CallOvertaken, type NewStore } from "../../../server/records/store-entries.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";
import { thrownBy } from "../../support/thrown.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };
const CALL = { purpose: "record", contract: "EventTable", data: Buffer.from("call") } as const;

for (const engine of ENGINES)
  describe(`entries of stored records, on ${engine}`, () => {
    let open: TestDatabase;
    before(async () => {
      open = await openTestDatabase(engine);
    });
    after(() => open.close());
    const journal = () => createJournal(open.database, KEY, ADDRESSES);
    const begin = (store: Partial<NewStore>) =>
      journal().atomically(({ stores }) =>
        stores.begin(
          {
            ...{ account: ADDRESS, rowId: 1n, request: Buffer.alloc(32), key: undefined, known: 0, acceptedAt: 1_000 },
            ...store,
          },
          CALL,
        ),
      );
    const keyOf = (name: string) => keyedCall("account", name, ["store", {}]);

    it("are found by their key for a day, with the transaction that has the call", async () => {
      const key = keyOf("for a day");
      assert.deepEqual(await journal().stores.find(key, undefined, 0), { sequence: 0, begun: undefined });
      const begun = await begin({ key, rowId: 7n, request: key.digest });
      assert.deepEqual(await journal().stores.find(key, undefined, 2_000), { sequence: begun.sequence, begun });
      assert.equal(await journal().stores.newestRowId(), 7n);
      const other = await thrownBy(journal().stores.find({ ...key, digest: Buffer.alloc(32, 1) }, undefined, 2_000));
      assert.propertyVal(other, "code", "key_reused");
      await open.database
        .updateTable("transactions")
        .set({ data: Buffer.from("another"), raw: Buffer.from("x") })
        .execute();
      assert.isUndefined((await journal().stores.find(key, undefined, 2_000)).begun?.transactionId);
    });

    it("are other calls after a day, also with another request", async () => {
      const key = { ...keyOf("after a day"), digest: Buffer.alloc(32, 2) };
      const first = await begin({ key, request: key.digest });
      const later = 1_000 + LIFETIME_MILLISECONDS;
      const other = { ...key, digest: Buffer.alloc(32, 3) };
      const known = await journal().stores.find(other, undefined, later);
      assert.deepEqual(known, { sequence: first.sequence, begun: undefined });
      const second = await begin({ key: other, request: other.digest, known: known.sequence, acceptedAt: later });
      assert.deepEqual((await journal().stores.find(other, undefined, later)).begun, second);
    });

    it("are begun once by calls with one key at the same time", async () => {
      const key = keyOf("at the same time");
      const first = await begin({ key });
      assert.instanceOf(await thrownBy(begin({ key })), CallOvertaken);
      await begin({ key, known: first.sequence });
    });

    it("are found without their table by who remembers them, and are not believed without their entry", async () => {
      const key = keyOf("remembered");
      const begun = await begin({ key, request: key.digest });
      await open.database.updateTable("stores").set({ idempotency_key: null }).execute();
      assert.deepEqual(await journal().stores.find(key, undefined, 2_000), { sequence: 0, begun: undefined });
      const found = await journal().stores.find(key, begun.sequence, 2_000);
      assert.deepEqual(found.begun, { ...begun, transactionId: undefined });
      await open.database.updateTable("stores").set({ idempotency_key: key.id }).where("sequence", "=", 1).execute();
      const damaged = await thrownBy(journal().stores.find(key, undefined, 2_000));
      assert.propertyVal(damaged, "code", "journal_damaged");
    });
  });
