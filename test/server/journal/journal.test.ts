import { assert } from "chai";
import type { Journal } from "../../../server/composition/journal.ts";
import type { Session } from "../../../server/sessions/session.ts";
import { createJournal } from "../../../server/composition/journal.ts";
import { keyedCall } from "../../../server/journal/keyed-calls.ts";
import { transactionStore } from "../../../server/journal/transactions/transaction-store.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { KEY } from "../../support/journal-key.ts";

const ADDRESS = `0x${"11".repeat(20)}`;
const ADDRESSES = { SessionRegistry: ADDRESS, EventTable: ADDRESS, ProofAnchor: ADDRESS };

for (const engine of ENGINES)
  describe(`journal on ${engine}`, function () {
    let opened: TestDatabase;
    let journal: Journal;
    beforeEach(async () => {
      opened = await openTestDatabase(engine);
      journal = createJournal(opened.database, KEY, ADDRESSES);
    });
    afterEach(() => opened.close());

    const insert = (into: Journal, text: string) =>
      into.intents.insert({ purpose: "anchor", contract: "ProofAnchor", data: Buffer.from(text) });
    const intents = async (): Promise<string[]> => {
      const rows = await opened.database.selectFrom("transactions").select("data").orderBy("id").execute();
      return rows.map(({ data }) => Buffer.from(data ?? []).toString());
    };
    const failure = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => undefined,
        (error: unknown) => error,
      );

    describe("commits atomically", function () {
      it("nothing of a transaction that the database rejects", async () => {
        const session = sessionOf("x");
        await journal.sessions.insert(session);
        const thrown = await failure(
          journal.atomically(async (atomic) => {
            await insert(atomic, "a");
            await atomic.sessions.insert(session);
          }),
        );
        assert.instanceOf(thrown, Error);
        assert.isEmpty(await intents());
      });

      it("a hundred concurrent transactions, independently of each other's failures", async () => {
        const results = await Promise.allSettled(
          Array.from({ length: 100 }, (_, n) =>
            journal.atomically(async (atomic) => {
              await insert(atomic, `${n} first`);
              await new Promise((resolve) => setImmediate(resolve));
              if (n % 3 === 0) throw new Error(`no ${n}`);
              await insert(atomic, `${n} second`);
              return n;
            }),
          ),
        );
        for (const [n, result] of results.entries()) {
          assert.equal(result.status, n % 3 === 0 ? "rejected" : "fulfilled");
          if (result.status === "fulfilled") assert.equal(result.value, n);
          else assert.equal(result.reason.message, `no ${n}`);
        }
        const expected = Array.from({ length: 100 }, (_, n) => n)
          .filter((n) => n % 3 !== 0)
          .flatMap((n) => [`${n} first`, `${n} second`]);
        assert.deepEqual(await intents(), expected);
      });

      it("transactions that read earlier ones", async () => {
        const call = keyedCall("caller", "key", ["route", {}]);
        const times = await Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            journal.atomically((atomic) => atomic.keyedCalls.begin(call, 1_000 + n)),
          ),
        );
        assert.deepEqual(new Set(times), new Set([1_000]));
      });

      it("nested transactions as one", async () => {
        await failure(
          journal.atomically(async (atomic) => {
            await atomic.atomically((inner) => insert(inner, "inner"));
            throw new Error("outer");
          }),
        );
        assert.isEmpty(await intents());
      });
    });

    describe("stores sessions", function () {
      it("and changes a state once only, for any number of attempts", async () => {
        const session = sessionOf("token");
        await journal.sessions.insert(session);
        const moved = await Promise.all(
          Array.from({ length: 10 }, () =>
            journal.sessions.transition(session.tokenHash, "active", { state: "replacing" }),
          ),
        );
        assert.lengthOf(moved.filter(Boolean), 1);
      });

      it("and returns them unchanged", async () => {
        const session = sessionOf("token");
        await journal.sessions.insert(session);
        const found = await journal.sessions.find(session.tokenHash);
        const plain = (value: Session | undefined) =>
          Object.entries(value ?? {})
            .map(([key, field]) => [key, field instanceof Uint8Array ? [...field] : field])
            .sort();
        assert.deepEqual(plain(found), plain(session));
        assert.isUndefined(await journal.sessions.find(Buffer.alloc(32)));
      });

      it("and counts and deletes ended ones, not those in progress", async () => {
        await journal.sessions.insert({ ...sessionOf("old"), expiresAt: 10 });
        await journal.sessions.insert({ ...sessionOf("ended"), expiresAt: 10, state: "ended" });
        await journal.sessions.insert({ ...sessionOf("live"), expiresAt: 100 });
        await journal.sessions.insert({ ...sessionOf("live and ended"), expiresAt: 100, state: "ended" });
        await journal.sessions.insert({ ...sessionOf("opening"), expiresAt: 0, state: "opening" });
        assert.equal(await journal.sessions.countLive(50), 1);
        await journal.sessions.deleteBefore(50);
        for (const [name, kept] of [
          ["old", false],
          ["ended", false],
          ["live", true],
          ["live and ended", true],
          ["opening", true],
        ] as const) {
          assert.equal((await journal.sessions.find(sessionOf(name).tokenHash)) !== undefined, kept, name);
        }
      });

      it("and lists interrupted calls", async () => {
        const transactionId = await insert(journal, "begun");
        await journal.sessions.insert({ ...sessionOf("begun"), state: "opening", transactionId });
        const begun = async (before: number) =>
          (await journal.sessions.changing(before)).map(({ tokenHash }) => Buffer.from(tokenHash).toString().trim());
        assert.deepEqual(await begun(Date.now() + 1), ["begun"]);
        assert.isEmpty(await begun(0));
      });
    });

    describe("stores transactions", function () {
      const sign = (queued: { id: number }[], first = 0) =>
        queued.map(({ id }, index) => ({
          id,
          nonce: first + index,
          raw: Buffer.from(`raw ${id}`),
          hash: Buffer.from(`hash ${id}`.padEnd(32)),
        }));

      it("that are either signed or withdrawn", async () => {
        const store = transactionStore(opened.database, KEY);
        const ids = [];
        for (let n = 0; n < 40; n += 1) ids.push(await insert(journal, `${n}`));
        let next = 0;
        const claims = [...Array<undefined>(10)].map(async () => {
          const signed = sign(await store.queued(4), next);
          next += signed.length;
          return store.claim(ADDRESS, signed);
        });
        const cancelled = await Promise.all(ids.map((id) => store.cancel(id)));
        const signed = (await Promise.all(claims)).flat().map(({ id }) => id);
        assert.lengthOf(new Set(signed), signed.length);
        for (const [index, id] of ids.entries()) {
          assert.notEqual(signed.includes(id) && cancelled[index] === true, true, `${id} was both`);
          assert.equal((await store.outcome(id)).state, cancelled[index] === true ? "cancelled" : "pending");
        }
      });

      it("that are signed up to the first withdrawn one", async () => {
        const store = transactionStore(opened.database, KEY);
        const ids = [await insert(journal, "a"), await insert(journal, "b"), await insert(journal, "c")];
        const signed = sign(await store.queued(9), 0);
        assert.isTrue(await store.cancel(ids[1] ?? 0));
        assert.deepEqual(
          (await store.claim(ADDRESS, signed)).map(({ id }) => id),
          ids.slice(0, 1),
        );
        assert.deepEqual(
          (await store.queued(9)).map(({ id }) => id),
          ids.slice(2),
        );
      });

      it("with unique nonces", async () => {
        const store = transactionStore(opened.database, KEY);
        await insert(journal, "a");
        await store.claim(ADDRESS, sign(await store.queued(1), 7));
        await insert(journal, "b");
        const thrown = await failure(store.claim(ADDRESS, sign(await store.queued(1), 7)));
        assert.instanceOf(thrown, Error);
        assert.equal((await store.highest(ADDRESS, Number.MAX_SAFE_INTEGER))?.nonce, 7);
        assert.lengthOf(await store.inFlight(ADDRESS), 1);
      });

      it("and keeps every version of one, also one that calls nothing", async () => {
        const store = transactionStore(opened.database, KEY);
        const id = await insert(journal, "a");
        await store.claim(ADDRESS, sign(await store.queued(1), 3));
        const filler = { id, nonce: 3, raw: Buffer.from("filler"), hash: Buffer.alloc(32, 1) };
        assert.isTrue(await store.replace(filler));
        assert.deepEqual(await store.outcome(id), { state: "pending", sent: true });
        const versions = await store.inFlight(ADDRESS);
        assert.deepEqual(
          versions.map((each) => [each.id, each.nonce]),
          [
            [id, 3],
            [id, 3],
          ],
        );
        assert.equal(Buffer.from(versions[1]?.raw ?? []).toString(), "filler");
        assert.equal(await store.countInFlight(), 1);
        assert.isFalse(await store.replace({ ...filler, id: id + 1 }), "of a transaction that is not sent");
      });
    });
  });

function sessionOf(name: string): Session {
  return {
    tokenHash: Buffer.from(name.padEnd(32)),
    id: Buffer.from(`session ${name}`.padEnd(32)),
    account: ADDRESS,
    state: "active",
    expiresAt: 100,
    validated: false,
    wrappedSecureKey: Buffer.from("wrapped"),
    encryptedSigningKey: Buffer.from("sealed"),
    transactionId: 1,
  };
}
