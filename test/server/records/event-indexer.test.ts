import { setImmediate } from "node:timers/promises";
import { assert } from "chai";
import { KEY } from "../../support/journal-key.ts";
import { keccak256 } from "ethers";
import { type EventLog, type LogEntry, recordIndexStore } from "../../../server/records/record-index.ts";
import { accountStore } from "../../../server/sessions/account-store.ts";
import { serviceLogStore } from "../../../server/sessions/service-log.ts";
import type { VerifiedHeader } from "../../../server/chain/evidence/verified-block.ts";
import type { Database } from "../../../server/journal/engine/database.ts";
import { RowIds } from "../../../server/records/row-ids.ts";
import { recordReader } from "../../../server/records/record-reader.ts";
import { EventIndexer, type IndexerEvent } from "../../../server/records/event-indexer.ts";
import { ENGINES, openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { rowEntry } from "../../support/row-entry.ts";
import { thrownBy } from "../../support/thrown.ts";
import { searchRecords } from "../../support/search-records.ts";

/** Ends a test that has failed. */
const DEADLINE_MILLISECONDS = 300_000;
const SENDER = `0x${"11".repeat(20)}`;
const bytes = (text: string): Uint8Array => Buffer.from(keccak256(Buffer.from(text)).slice(2), "hex");

const NO_BLOCK = {
  protocol: "none",
  validators: [],
  hasTransactions: true,
  mayHaveLogsOf: () => true,
} as const;

/** A chain's log that a test writes. */
class FakeLog implements EventLog {
  readonly firstBlock = 3;
  readonly queried: [from: number, to: number][] = [];
  readonly #name: string;
  readonly #entries = new Map<number, LogEntry[]>();
  newest = 0;
  failing = false;
  constructor(name: string) {
    this.#name = name;
  }
  row(blockNumber: number, rowId: number, code: string): this {
    const content = { sender: SENDER, code, topic: "t", createdAt: "then", payload: "e30=" };
    return this.add(
      blockNumber,
      rowEntry({ rowId: BigInt(rowId), ...content, transactionHash: bytes(code), blockNumber }),
    );
  }
  add(blockNumber: number, entry: LogEntry): this {
    this.#entries.set(blockNumber, [...(this.#entries.get(blockNumber) ?? []), entry]);
    this.newest = Math.max(this.newest, blockNumber);
    return this;
  }
  async head(): Promise<number> {
    return this.newest;
  }
  async blockHash(number: number): Promise<Uint8Array | undefined> {
    if (this.failing) throw new Error("the node is unavailable");
    return number <= this.newest ? bytes(`${this.#name} ${number}`) : undefined;
  }
  async entries(from: number, to: number): Promise<LogEntry[]> {
    if (this.failing) throw new Error("the node is unavailable");
    this.queried.push([from, to]);
    return this.#between(from, to);
  }
  async entriesIn(blocks: readonly VerifiedHeader[]): Promise<LogEntry[]> {
    if (this.failing) throw new Error("a row cannot be decoded");
    return blocks.flatMap(({ reference: { number } }) => this.#between(number, number));
  }
  /** Returns a block as the sender has verified it. */
  block(number: number): VerifiedHeader {
    const hash = bytes(`${this.#name} ${number}`);
    const parentHash = bytes(`${this.#name} ${number - 1}`);
    const reference = { number, hash, time: number, validator: "" };
    return { ...NO_BLOCK, reference, parentHash };
  }
  #between(from: number, to: number): LogEntry[] {
    return [...this.#entries]
      .filter(([number]) => number >= from && number <= to)
      .sort(([a], [b]) => a - b)
      .flatMap(([, entries]) => entries);
  }
}

for (const engine of ENGINES)
  describe(`event indexer, on ${engine}`, function () {
    let journal: TestDatabase;
    let events: IndexerEvent[];
    let steps: IndexerEvent[];
    let foreign: bigint[];
    let own: bigint[];
    const followers: EventIndexer[] = [];
    const follow = (log: EventLog, lagMilliseconds?: number): EventIndexer => {
      const indexer = new EventIndexer(
        log,
        recordIndexStore(journal.database, KEY, "events"),
        (event) => {
          if (event.kind === "foreign_rows") foreign.push(...event.writes.map(({ rowId }) => rowId));
          else if (event.kind === "own_rows") own.push(...event.rows.map(({ rowId }) => rowId));
          else (event.kind === "indexed" || event.kind === "resumed" ? steps : events).push(event);
        },
        lagMilliseconds,
      );
      followers.push(indexer);
      return indexer;
    };
    const serviceLog = async (): Promise<string[]> =>
      (await serviceLogStore(journal.database).newest(SENDER, 10)).map(({ message }) => message);
    const codes = async (): Promise<string[]> =>
      (await searchRecords(journal.database, { field: "code", pattern: ["", ""], limit: 100 })).map(({ code }) => code);

    beforeEach(async () => {
      journal = await openTestDatabase(engine);
      events = [];
      steps = [];
      foreign = [];
      own = [];
    });
    afterEach(async () => {
      await Promise.all(followers.splice(0).map((indexer) => indexer.stop()));
      await journal.close();
    });

    it("copies rows in log order, from the first block on", async () => {
      const log = new FakeLog("a").row(3, 1, "one").row(5, 2, "two").row(5, 3, "three");
      const indexer = follow(log);
      assert.isTrue(await indexer.waitForBlock(5, DEADLINE_MILLISECONDS));
      assert.deepEqual(await codes(), ["three", "two", "one"]);
      assert.equal(log.queried[0]?.[0], 3);
      log.row(6, 4, "four");
      indexer.onHead(6);
      assert.isTrue(await indexer.waitForBlock(6, DEADLINE_MILLISECONDS));
      assert.deepEqual(await codes(), ["four", "three", "two", "one"]);
      assert.deepEqual(log.queried.at(-1), [6, 6]);
      assert.isEmpty(events);
    });

    it("keeps an overwritten row, marked, and has the other one at the end", async () => {
      const indexer = follow(new FakeLog("a").row(3, 1, "one").row(4, 2, "two").row(5, 1, "one again"));
      await indexer.waitForBlock(5, DEADLINE_MILLISECONDS);
      const found = await searchRecords(journal.database, { field: "code", pattern: ["", ""], limit: 100 });
      assert.deepEqual(
        found.map(({ code, overwrittenBy }) => [code, overwrittenBy && Buffer.from(overwrittenBy)]),
        [
          ["one again", undefined],
          ["two", undefined],
          ["one", Buffer.from(bytes("one again"))],
        ],
      );
      assert.isEmpty(events);
    });

    it("names the rows that no transaction of the journal wrote, except of those that it starts with", async () => {
      const log = new FakeLog("a").row(3, 1, "before");
      const indexer = follow(log);
      await indexer.waitForBlock(3, DEADLINE_MILLISECONDS);
      await journal.database
        .insertInto("transactions")
        .values({ purpose: "record", to_address: SENDER, state: "sent", hash: bytes("own"), created_at: 1 })
        .execute();
      log.row(4, 2, "own").row(4, 3, "foreign").row(5, 4, "foreign too");
      await indexer.waitForBlock(5, DEADLINE_MILLISECONDS);
      assert.deepEqual(foreign, [3n, 4n]);
      assert.deepEqual(own, [2n]);
      assert.deepEqual(await serviceLog(), ["record 2 stored"]);
    });

    describe("with blocks that the sender has read", function () {
      let log: FakeLog;
      let indexer: EventIndexer;
      const stored = async (): Promise<number | undefined> =>
        (await recordIndexStore(journal.database, KEY, "events").progress())?.blockNumber;
      /** Waits until a block is indexed, and the indexer rests. */
      const indexed = async (block: number): Promise<void> => {
        assert.isTrue(await indexer.waitForBlock(block, DEADLINE_MILLISECONDS));
        await setImmediate();
      };
      /** What the blocks have brought beside. */
      const beside = async (database: Database): Promise<void> =>
        serviceLogStore(database).append({ time: 1, level: "info", account: SENDER, message: "beside" });

      beforeEach(async () => {
        log = new FakeLog("a").row(3, 1, "one");
        indexer = follow(log);
        await indexed(3);
      });

      it("writes rows, position and what the blocks have brought beside in one commit", async () => {
        const queries = log.queried.length;
        log.row(4, 2, "two").row(5, 3, "three");
        await indexer.record([log.block(4), log.block(5)], beside);
        assert.deepEqual(await codes(), ["three", "two", "one"]);
        assert.equal(await stored(), 5);
        assert.deepEqual(await serviceLog(), ["beside"]);
        assert.isTrue(await indexer.waitForBlock(5, 0));
        assert.lengthOf(log.queried, queries, "nothing is queried");
        const failure = await thrownBy(
          indexer.record([log.row(6, 4, "four").block(6)], async () => Promise.reject(new Error("no disk"))),
        );
        assert.match(String(failure), /no disk/);
        assert.notInclude(await codes(), "four");
        indexer.onHead(6);
        await eventually(async () => assert.include(await codes(), "four"));
      });

      it("leaves those that do not continue the index, or cannot be read, for later", async () => {
        log.row(4, 2, "two").row(5, 3, "three");
        const other = new FakeLog("b").row(4, 9, "other");
        await indexer.record([log.block(5)], beside);
        await indexer.record([other.block(4)], beside);
        log.failing = true;
        await indexer.record([log.block(4)], beside);
        log.failing = false;
        assert.deepEqual(await serviceLog(), ["beside", "beside", "beside"]);
        assert.deepEqual(await codes(), ["one"]);
        indexer.onHead(5);
        await eventually(async () => assert.deepEqual(await codes(), ["three", "two", "one"]));
      });

      it("writes what they have brought beside an index that somebody has changed", async () => {
        await recordIndexStore(journal.database, KEY, "events").drop();
        await indexer.record([log.row(4, 2, "two").block(4)], beside);
        assert.deepEqual(await serviceLog(), ["beside"]);
        indexer.onHead(4);
        await eventually(async () => assert.deepEqual(await codes(), ["two", "one"]));
      });

      it("writes nothing for blocks without an event, except the position of every twentieth", async () => {
        log.newest = 100;
        for (let head = 4; head <= 22; head += 1) indexer.onHead(head);
        await indexed(22);
        assert.equal(await stored(), 3);
        indexer.onHead(23);
        await indexed(23);
        assert.equal(await stored(), 23);
        await indexer.record([log.row(24, 2, "two").block(24)], beside);
        assert.equal(await stored(), 24);
      });
    });

    it("names none of the rows that a rebuilt index begins with, in several ranges and after a restart", async () => {
      const log = new FakeLog("a").row(3, 1, "one").row(1_500, 2, "two").row(2_600, 3, "three");
      const first = follow(log);
      first.onHead(2_600);
      await eventually(async () => assert.include(await codes(), "one"));
      await first.stop();
      const second = follow(log);
      await second.waitForBlock(2_600, DEADLINE_MILLISECONDS);
      assert.deepEqual(await codes(), ["three", "two", "one"]);
      assert.deepEqual(foreign, []);
      log.row(2_601, 4, "foreign");
      await second.waitForBlock(2_601, DEADLINE_MILLISECONDS);
      assert.deepEqual(foreign, [4n]);
    });

    it("continues at the end of the index", async () => {
      const log = new FakeLog("a").row(3, 1, "one").row(4, 2, "two");
      const first = follow(log);
      await first.waitForBlock(4, DEADLINE_MILLISECONDS);
      await first.stop();
      log.row(9, 3, "three");
      const second = follow(log);
      assert.isTrue(await second.waitForBlock(9, DEADLINE_MILLISECONDS));
      assert.deepEqual(log.queried.at(-1), [5, 9]);
      assert.deepEqual(await codes(), ["three", "two", "one"]);
      assert.deepEqual(steps, [
        { kind: "indexed", from: 3, to: 4, rows: 2 },
        { kind: "resumed", after: 4, head: 9 },
        { kind: "indexed", from: 5, to: 9, rows: 1 },
      ]);
      assert.isEmpty(events);
    });

    it("finds the rows that another process has indexed while it waits for them", async () => {
      const log = new FakeLog("a").row(3, 1, "one");
      const [first, second] = [follow(log), follow(log)];
      await first.waitForBlock(3, DEADLINE_MILLISECONDS);
      await second.waitForBlock(3, DEADLINE_MILLISECONDS);
      log.row(4, 2, "two");
      await first.waitForBlock(4, DEADLINE_MILLISECONDS);
      assert.isTrue(await second.waitForBlock(4, DEADLINE_MILLISECONDS));
      assert.deepEqual(await codes(), ["two", "one"]);
      assert.isEmpty(events);
    });

    it("rebuilds the index for another chain", async () => {
      const first = follow(new FakeLog("a").row(3, 1, "old").row(9, 2, "older"));
      await first.waitForBlock(9, DEADLINE_MILLISECONDS);
      await first.stop();
      const second = follow(new FakeLog("b").row(4, 1, "new").row(10, 2, "newer"));
      assert.isTrue(await second.waitForBlock(10, DEADLINE_MILLISECONDS));
      assert.deepEqual(await codes(), ["newer", "new"]);
      assert.isTrue(events.some(({ kind }) => kind === "rebuilding"));
    });

    it("rebuilds the index for another, shorter chain", async () => {
      const first = follow(new FakeLog("a").row(3, 1, "old").row(9, 2, "older"));
      await first.waitForBlock(9, DEADLINE_MILLISECONDS);
      await first.stop();
      const second = follow(new FakeLog("b").row(4, 1, "new"), 0);
      assert.isTrue(await second.waitForBlock(4, DEADLINE_MILLISECONDS));
      assert.deepEqual(await codes(), ["new"]);
    });

    it("rebuilds the index when the chain is rolled back meanwhile, and continues with other blocks", async () => {
      const log = new FakeLog("a").row(3, 1, "kept").row(9, 2, "lost");
      let chain = log;
      const indexer = follow(
        {
          firstBlock: log.firstBlock,
          blockHash: (number) => chain.blockHash(number),
          entries: (from, to) => chain.entries(from, to),
          entriesIn: (blocks) => chain.entriesIn(blocks),
        },
        0,
      );
      assert.isTrue(await indexer.waitForBlock(9, DEADLINE_MILLISECONDS));
      chain = new FakeLog("b").row(3, 1, "kept").row(5, 3, "other");
      indexer.onHead(5);
      await eventually(async () => assert.deepEqual(await codes(), ["other", "kept"]));
    });

    it("waits for a lagging node, and keeps the index meanwhile", async () => {
      const log = new FakeLog("a").row(3, 1, "one").row(9, 2, "two");
      const indexer = follow(log);
      assert.isTrue(await indexer.waitForBlock(9, DEADLINE_MILLISECONDS));
      log.newest = 5;
      indexer.onHead(5);
      await indexer.stop();
      assert.deepEqual(await codes(), ["two", "one"]);
      assert.isFalse(events.some(({ kind }) => kind === "rebuilding"));
    });

    it("reads a long log in ranges without gaps", async () => {
      const log = new FakeLog("a");
      for (let number = 3; number <= 2_600; number += 100) log.row(number, number, `row ${number}`);
      log.newest = 2_700;
      const indexer = follow(log);
      assert.isTrue(await indexer.waitForBlock(2_700, DEADLINE_MILLISECONDS));
      let next = 3;
      for (const [from, to] of log.queried) {
        assert.equal(from, next);
        assert.isAtMost(to - from, 999);
        next = to + 1;
      }
      assert.equal(next, 2_701);
      assert.lengthOf(await codes(), 26);
    });

    it("continues after a failure at the same position", async () => {
      const log = new FakeLog("a").row(3, 1, "one");
      const indexer = follow(log);
      await indexer.waitForBlock(3, DEADLINE_MILLISECONDS);
      log.row(4, 2, "two").failing = true;
      assert.isFalse(await indexer.waitForBlock(4, 100));
      assert.isTrue(events.some(({ kind }) => kind === "failing"));
      log.failing = false;
      indexer.onHead(4);
      await eventually(async () => assert.deepEqual(await codes(), ["two", "one"]));
    });

    it("writes no partial range after a failure", async () => {
      const store = recordIndexStore(journal.database, KEY, "events");
      const log = new FakeLog("a").row(3, 1, "one");
      const broken = {
        kind: "account",
        address: SENDER,
        get change(): never {
          throw new Error("unreadable");
        },
      } as const;
      const entries = await log.entries(3, 3);
      const failure = await store
        .apply({ entries: [...entries, broken], after: undefined, to: 3, hash: bytes("x"), head: 3 })
        .then(
          () => undefined,
          (error: unknown) => error,
        );
      assert.instanceOf(failure, Error);
      assert.isEmpty(await codes());
      assert.isUndefined(await store.progress());
    });

    it("rebuilds the index after an external deletion", async () => {
      const log = new FakeLog("a").row(3, 1, "one");
      const indexer = follow(log);
      await indexer.waitForBlock(3, DEADLINE_MILLISECONDS);
      await recordIndexStore(journal.database, KEY, "events").drop();
      log.row(4, 2, "two");
      assert.isTrue(await indexer.waitForBlock(4, DEADLINE_MILLISECONDS));
      assert.deepEqual(await codes(), ["two", "one"]);
      assert.isTrue(events.some(({ kind }) => kind === "rebuilding"));
    });

    it("never returns a row id that the chain has", async () => {
      const indexer = follow(new FakeLog("a").row(3, 41, "high").row(4, 7, "low"));
      await indexer.waitForBlock(4, DEADLINE_MILLISECONDS);
      const rowIds = new RowIds({
        records: recordReader(journal.database, KEY),
        stores: { newestRowId: async () => 0n },
      });
      assert.deepEqual([await rowIds.next(1), await rowIds.next(1)], [42n, 43n]);
    });

    it("copies the accounts of the chain", async () => {
      const accounts = accountStore(journal.database, KEY);
      await accounts.insert({ address: SENDER, keystore: "{}", scope: "full", createdAt: 1 });
      const log = new FakeLog("a").add(3, {
        kind: "account",
        address: SENDER,
        change: { enrolled: true, scope: "read" },
      });
      const indexer = follow(log);
      await indexer.waitForBlock(3, DEADLINE_MILLISECONDS);
      assert.deepInclude(await accounts.find(SENDER), { enrolled: true, scope: "read" });
      log.add(4, { kind: "account", address: SENDER, change: { enrolled: false, revokedAt: 99 } });
      await indexer.waitForBlock(4, DEADLINE_MILLISECONDS);
      assert.deepInclude(await accounts.find(SENDER), { enrolled: false, revokedAt: 99 });
    });

    it("reports a missed deadline, and releases all waiters when it stops", async () => {
      const indexer = follow(new FakeLog("a").row(3, 1, "one"));
      assert.isFalse(await indexer.waitForBlock(10, 50));
      const waiting = indexer.waitForBlock(10, 60_000);
      await indexer.stop();
      assert.isFalse(await waiting);
    });
  });
