import { assert } from "chai";
import type { AlertStore } from "../../../server/operations/alert.ts";
import { alertStore, BufferedAlertStore } from "../../../server/operations/alert-store.ts";
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
    };
    store = new BufferedAlertStore(faulty);
  });
  afterEach(() => opened.close());

  const raise = (subject: string, at: number, message = "no space") =>
    store.raise({ kind: "storage_failure", subject, message, at });
  const states = async () =>
    (await store.list(10)).map(({ subject, resolvedAt }) => `${subject} ${resolvedAt ?? "lasts"}`);

  it("are listed, and stored when the database is writable again", async () => {
    await raise("stored", 1);
    isBroken = true;
    assert.deepInclude(await raise("unsaved", 2), { subject: "unsaved", resolvedAt: undefined });
    assert.deepEqual(
      (await store.open()).map(({ subject }) => subject),
      ["stored", "unsaved"],
    );
    assert.deepInclude(await store.resolve("storage_failure", "stored", 3), { subject: "stored", resolvedAt: 3 });
    assert.deepEqual(await states(), ["unsaved lasts", "stored 3"]);

    isBroken = false;
    await store.resolve("storage_failure", "unsaved", 4);
    assert.deepEqual(await states(), ["unsaved 4", "stored 3"]);
    assert.deepEqual(
      (await alertStore(opened.database).list(10)).map(({ resolvedAt }) => resolvedAt),
      [4, 3],
    );
  });

  it("are resolved before they are stored", async () => {
    isBroken = true;
    await raise("unsaved", 2);
    await store.resolve("storage_failure", "unsaved", 3);
    assert.deepEqual(await states(), ["unsaved 3"]);
    assert.isEmpty(await store.open());
  });

  it("get another text, of a stored alert and of an unsaved one", async () => {
    await raise("stored", 1, "60 MB free");
    isBroken = true;
    await raise("unsaved", 2, "4 of 5 peers");
    assert.deepInclude(await raise("stored", 3, "30 MB free"), { message: "30 MB free", raisedAt: 1 });
    assert.isUndefined(await raise("stored", 4, "30 MB free"));
    await raise("unsaved", 5, "3 of 5 peers");
    const texts = async () => (await store.list(10)).map(({ message, earlier }) => [message, earlier]);
    const expected = [
      ["3 of 5 peers", [{ message: "4 of 5 peers", until: 5 }]],
      ["30 MB free", [{ message: "60 MB free", until: 3 }]],
    ];
    assert.deepEqual(await texts(), expected);
    assert.sameDeepMembers(
      (await store.open()).map(({ message }) => message),
      ["30 MB free", "3 of 5 peers"],
    );
    isBroken = false;
    await store.resolve("clock_skew", "", 6);
    assert.sameDeepMembers(
      (await alertStore(opened.database).list(10)).map(({ message, earlier }) => [message, earlier]),
      expected,
    );
  });
});
