import { assert } from "chai";
import type { FoundRecord } from "../../client/index.ts";
import { findReadings, type GetPage } from "../../panel/src/map/found-reading.ts";

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
const PAGE = 10;

/** The records of a server, a number for each: how many hours ago it was stored. Every third is no reading. */
class Records {
  asked = 0;
  readonly #hours: number[];

  constructor(hours: readonly number[]) {
    this.#hours = [...hours];
  }

  /** Stores one more. */
  add(hours: number): void {
    this.#hours.push(hours);
  }

  readonly page: GetPage = async (_search, cursor) => {
    this.asked += 1;
    const end = cursor === undefined ? this.#hours.length : Number(cursor);
    const start = Math.max(0, end - PAGE);
    const events = Array.from({ length: end - start }, (_, index) => this.#record(end - 1 - index));
    return { events, next: start === 0 ? undefined : String(start) };
  };

  #record(index: number): FoundRecord {
    const payload = { sensorvalue: index, sensordevice: "d", enrichment: { position: { lng: 0, lat: 0 } } };
    return {
      sender: "0xa",
      code: "c",
      topic: "t",
      createdAt: new Date(NOW - (this.#hours[index] ?? 0) * HOUR).toUTCString(),
      payload: index % 3 === 0 ? {} : payload,
      location: { chainId: String(index), transactionHash: "0x", blockNumber: index },
    };
  }
}

const values = ({ readings }: { readings: readonly { value: number }[] }) => readings.map(({ value }) => value);
const quiet = (): void => undefined;

describe("The map's search for readings", () => {
  it("reads page after page until records are too old, and passes over what is no reading", async () => {
    const records = new Records(Array.from({ length: 60 }, (_, index) => 59 - index));
    const progress: number[] = [];
    const found = await findReadings(records.page, NOW - 24.5 * HOUR, undefined, (count) => progress.push(count));
    assert.deepEqual(
      values(found),
      Array.from({ length: 25 }, (_, index) => 59 - index).filter((value) => value % 3 !== 0),
    );
    assert.isFalse(found.isCut);
    assert.equal(records.asked, 3);
    assert.deepEqual(progress, [10, 20]);
  });

  it("reads what is new only when it looks again, and lets go of what has become too old", async () => {
    const records = new Records([20, 15, 10, 5]);
    const first = await findReadings(records.page, NOW - 18 * HOUR, undefined, quiet);
    assert.deepEqual(values(first), [2, 1]);
    records.add(1);
    const second = await findReadings(records.page, NOW - 12 * HOUR, first, quiet);
    assert.deepEqual(values(second), [4, 2]);
    assert.deepEqual(values(await findReadings(records.page, NOW - 12 * HOUR, second, quiet)), [4, 2]);
    assert.equal(records.asked, 3);
  });

  it("finds nothing where nothing is", async () => {
    assert.deepEqual(await findReadings(new Records([]).page, 0, undefined, quiet), {
      readings: [],
      isCut: false,
      newest: undefined,
    });
  });

  it("stops at fifty thousand records, and says so", async () => {
    const records = new Records(Array.from({ length: 50_100 }, () => 1));
    const found = await findReadings(records.page, NOW - 24 * HOUR, undefined, quiet);
    assert.isTrue(found.isCut);
    assert.equal(records.asked, 50_000 / PAGE);
  });
});
