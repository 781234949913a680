import { assert } from "chai";
import type { FoundRecord } from "../../client/index.ts";
import { findReadings, type GetPage } from "../../panel/src/map/found-reading.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
const PAGE = 10;

/** The records of a server, each by its age in hours. Every third is not a reading. */
class Records {
  queries = 0;
  readonly #hours: number[];

  constructor(hours: readonly number[]) {
    this.#hours = [...hours];
  }

  /** Stores another record. */
  add(hours: number): void {
    this.#hours.push(hours);
  }

  readonly page: GetPage = async (_search, cursor) => {
    this.queries += 1;
    const end = cursor === undefined ? this.#hours.length : Number(cursor);
    const start = Math.max(0, end - PAGE);
    const events = Array.from({ length: end - start }, (_, index) => this.#record(end - 1 - index));
    return { events, next: start === 0 ? undefined : String(start) };
  };

  #record(index: number): FoundRecord {
    const reading = { sensorvalue: index, sensordevice: "d", enrichment: { position: { lng: 0, lat: 0 } } };
    const payload = index % 3 === 0 ? {} : reading;
    return {
      sender: "0xa",
      code: "c",
      topic: "t",
      createdAt: new Date(NOW - (this.#hours[index] ?? 0) * HOUR).toUTCString(),
      payload,
      payloadText: JSON.stringify(payload),
      location: { chainId: String(index), transactionHash: "0x", blockNumber: index },
      mark: undefined,
    };
  }
}

const values = ({ readings }: { readings: readonly { value: number }[] }) => readings.map(({ value }) => value);
const ignoreProgress = (): void => undefined;

describe("The map's search for readings", () => {
  it("reads pages until records are too old, and skips records that are not readings", async () => {
    const records = new Records(Array.from({ length: 60 }, (_, index) => 59 - index));
    const progress: number[] = [];
    const found = await findReadings(records.page, NOW - 24.5 * HOUR, undefined, (count) => progress.push(count));
    assert.deepEqual(
      values(found),
      Array.from({ length: 25 }, (_, index) => 59 - index).filter((value) => value % 3 !== 0),
    );
    assert.isFalse(found.isTruncated);
    assert.equal(records.queries, 3);
    assert.deepEqual(progress, [10, 20]);
  });

  it("reads only new records on an update, and drops readings that have become too old", async () => {
    const records = new Records([20, 15, 10, 5]);
    const first = await findReadings(records.page, NOW - 18 * HOUR, undefined, ignoreProgress);
    assert.deepEqual(values(first), [2, 1]);
    records.add(1);
    const second = await findReadings(records.page, NOW - 12 * HOUR, first, ignoreProgress);
    assert.deepEqual(values(second), [4, 2]);
    assert.deepEqual(values(await findReadings(records.page, NOW - 12 * HOUR, second, ignoreProgress)), [4, 2]);
    assert.equal(records.queries, 3);
  });

  it("finds nothing on an empty server", async () => {
    assert.deepEqual(await findReadings(new Records([]).page, 0, undefined, ignoreProgress), {
      readings: [],
      isTruncated: false,
      newest: undefined,
    });
  });

  it("stops at fifty thousand records, and reports it", async () => {
    const records = new Records(Array.from({ length: 50_100 }, () => 1));
    const found = await findReadings(records.page, NOW - 24 * HOUR, undefined, ignoreProgress);
    assert.isTrue(found.isTruncated);
    assert.equal(records.queries, 50_000 / PAGE);
  });
});
