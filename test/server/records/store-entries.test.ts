import { assert } from "chai";
import { createJournal } from "../../../server/composition/journal.ts";
import { callerKeyOf, LIFETIME_MILLISECONDS } from "../../../server/journal/keyed-calls.ts";
import { CallOvertaken, type NewStore } from "../../../server/records/store-entries.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";
import { thrownBy } from "../../support/thrown.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };
/** The digest of a request. */
const REQUEST = Buffer.alloc(32);
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
            ...{ account: ADDRESS, rowId: 1n, request: REQUEST, key: undefined, known: 0, acceptedAt: 1_000 },
            ...store,
          },
          CALL,
        ),
      );
    const keyOf = (name: string) => callerKeyOf("account", name);
    const find = (key: Uint8Array, now: number, request: Uint8Array = REQUEST, atLeast?: number) =>
      journal().stores.find(key, request, atLeast, now);

    it("are found by their key for a day, with the transaction that has the call", async () => {
      const key = keyOf("for a day");
      assert.deepEqual(await find(key, 0), { sequence: 0, begun: undefined });
      const begun = await begin({ key, rowId: 7n });
      assert.deepEqual(await find(key, 2_000), { sequence: begun.sequence, begun });
      assert.equal(await journal().stores.newestRowId(), 7n);
      const other = await thrownBy(find(key, 2_000, Buffer.alloc(32, 1)));
      assert.propertyVal(other, "code", "key_reused");
      await open.database
        .updateTable("transactions")
        .set({ data: Buffer.from("another"), raw: Buffer.from("x") })
        .execute();
      assert.isUndefined((await find(key, 2_000)).begun?.transactionId);
    });

    it("are other calls after a day, also with another request", async () => {
      const key = keyOf("after a day");
      const first = await begin({ key });
      const later = 1_000 + LIFETIME_MILLISECONDS;
      const request = Buffer.alloc(32, 3);
      const known = await find(key, later, request);
      assert.deepEqual(known, { sequence: first.sequence, begun: undefined });
      const second = await begin({ key, request, known: known.sequence, acceptedAt: later });
      assert.deepEqual((await find(key, later, request)).begun, second);
    });

    it("are begun once by calls with one key at the same time", async () => {
      const key = keyOf("at the same time");
      const first = await begin({ key });
      assert.instanceOf(await thrownBy(begin({ key })), CallOvertaken);
      await begin({ key, known: first.sequence });
    });

    it("are found without their table by who remembers them, and are not believed without their entry", async () => {
      const key = keyOf("remembered");
      const begun = await begin({ key });
      await open.database.updateTable("stores").set({ idempotency_key: null }).execute();
      assert.deepEqual(await find(key, 2_000), { sequence: 0, begun: undefined });
      const found = await find(key, 2_000, REQUEST, begun.sequence);
      assert.deepEqual(found.begun, { ...begun, transactionId: undefined });
      await open.database.updateTable("stores").set({ idempotency_key: key }).where("sequence", "=", 1).execute();
      const damaged = await thrownBy(find(key, 2_000));
      assert.propertyVal(damaged, "code", "journal_damaged");
    });
  });
