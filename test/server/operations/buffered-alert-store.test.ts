import { assert } from "chai";
import type { AlertStore } from "../../../server/operations/alert.ts";
import { alertStore } from "../../../server/operations/alert-store.ts";
import { BufferedAlertStore } from "../../../server/operations/buffered-alert-store.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";

describe("alerts during a database outage", () => {
  let opened: TestDatabase;
  let isBroken = false;
  let store: BufferedAlertStore;
  beforeEach(async () => {
    opened = await openTestDatabase();
    isBroken = false;
    const real = alertStore(opened.database);
    const refuse = async (): Promise<never> => {
      throw new Error("disk I/O error");
    };
    const faulty: AlertStore = {
      ...real,
      raise: (alert) => (isBroken ? refuse() : real.raise(alert)),
      resolve: (...resolved) => (isBroken ? refuse() : real.resolve(...resolved)),
      recordNotified: (...notified) => (isBroken ? refuse() : real.recordNotified(...notified)),
    };
    store = new BufferedAlertStore(faulty);
  });
  afterEach(() => opened.close());

  const raise = (subject: string, raisedAt: number) =>
    store.raise({ kind: "storage_failure", subject, message: "no space", raisedAt });
  const states = async () =>
    (await store.list(10)).map(({ subject, resolvedAt }) => `${subject} ${resolvedAt ?? "lasts"}`);

  it("are listed and sent, and stored when the database is writable again", async () => {
    await raise("stored", 1);
    isBroken = true;
    assert.deepInclude(await raise("unsaved", 2), { subject: "unsaved", resolvedAt: undefined });
    assert.deepEqual(
      (await store.open()).map(({ subject }) => subject),
      ["stored", "unsaved"],
    );
    await store.recordNotified("receiver", 1);
    assert.equal(await store.notifiedUpTo("receiver"), 1);
    assert.deepInclude(await store.resolve("storage_failure", "stored", 3), { subject: "stored", resolvedAt: 3 });
    assert.deepEqual(await states(), ["unsaved lasts", "stored 3"]);

    isBroken = false;
    await store.resolve("storage_failure", "unsaved", 4);
    assert.deepEqual(await states(), ["unsaved 4", "stored 3"]);
    assert.deepEqual(
      (await alertStore(opened.database).list(10)).map(({ resolvedAt }) => resolvedAt),
      [4, 3],
    );
    assert.deepEqual(
      (await store.resolvedAfter(0)).map(({ subject }) => subject),
      ["stored", "unsaved"],
    );
  });

  it("are resolved before they are stored", async () => {
    isBroken = true;
    await raise("unsaved", 2);
    await store.resolve("storage_failure", "unsaved", 3);
    assert.deepEqual(await states(), ["unsaved 3"]);
    assert.isEmpty(await store.open());
  });
});
